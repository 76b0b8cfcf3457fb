import { describe, expect, it } from 'vitest';
import { lateRunLines } from '../../../src/cli/show/status.ts';

describe('lateRunLines', () => {
  it('says nothing when nothing is late', () => {
    expect(lateRunLines({ lateRuns: [], missingFiles: [] })).toEqual([]);
  });

  it('lists what was missed and what has not come, each with what to do', () => {
    const dueAt = new Date('2026-06-15T22:00:00Z');
    const run = { schedule: 'nightly', day: '2026-06-15', state: 'missed', dueAt, says: 'nothing ran in its time' };
    const file = { folder: 'drop/dues', account: 'main', day: '2026-06-15', by: '18:00' };
    expect(lateRunLines({ lateRuns: [run], missingFiles: [file] }).join('\n\n')).toMatch(
      /Late schedules\n(.*\n){2}nightly +2026-06-15 +missed .*\n\n"paydrop schedule run NAME".*\n\nExpected files that did not come\n(.*\n){2}drop\/dues +main +2026-06-15 +18:00/,
    );
  });
});
