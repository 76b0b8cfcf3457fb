import { describe, expect, it } from 'vitest';
import { ScheduleConfig } from '../../schemas/config.ts';
import { describeDropWait } from '../../src/explain/waiting-drops.ts';
import type { WaitingDrop } from '../../src/files/waiting-drops.ts';

const NOW = new Date('2026-06-15T12:00:00Z');
const QUIET = { complete: { by: 'quiet', quietMs: 10_000, probes: 3 } } as const;

function waitOf(folder: Parameters<typeof describeDropWait>[1], drop: WaitingDrop): string {
  const nightly = ScheduleConfig.parse({ does: 'take', at: '18:00', timeZone: 'America/Toronto' });
  return describeDropWait({ schedules: { nightly } }, folder, drop, NOW);
}

describe('describeDropWait', () => {
  it('names the schedule that takes the files of the folder, and when', () => {
    expect(waitOf({ ...QUIET, schedule: 'nightly' }, { name: 'a.csv', sinceMs: NOW.getTime() })).toBe(
      'waiting for the schedule "nightly", next at 2026-06-15 18:00:00 -04:00',
    );
  });

  it.each([
    [QUIET, 0, 'waiting 10 s for quiet; write a.csv.done to skip'],
    [QUIET, 2_500, 'waiting 8 s for quiet; write a.csv.done to skip'],
    [QUIET, 60_000, 'waiting 1 s for quiet; write a.csv.done to skip'],
    [{ complete: { by: 'marker', suffix: '.ok' } }, 0, 'waiting for a.csv.ok'],
    [{ complete: { by: 'marker', suffix: '.ctl' } }, 0, 'waiting for a whole a.csv.ctl'],
  ] as const)('%j, seen %i ms ago: %s', (folder, agoMs, words) => {
    expect(waitOf(folder, { name: 'a.csv', sinceMs: NOW.getTime() - agoMs })).toBe(words);
  });

  it.each([
    ['a moved file', { movedInSinceMs: NOW.getTime() }, 'waiting 2 s after it was moved in; write a.csv.done to skip'],
    ['any other', {}, 'waiting 10 s for quiet; write a.csv.done to skip'],
    [
      'one that is quiet sooner',
      { sinceMs: NOW.getTime() - 9_000, movedInSinceMs: NOW.getTime() },
      'waiting 1 s for quiet; write a.csv.done to skip',
    ],
  ])('names the shorter wait where it applies: %s', (_case, drop, words) => {
    const folder = { complete: { ...QUIET.complete, movedInMs: 2_000 } };
    expect(waitOf(folder, { name: 'a.csv', sinceMs: NOW.getTime(), ...drop })).toBe(words);
  });

  it('promises no shortcut to what is no plain file', () => {
    const words = waitOf(QUIET, { name: 'a.csv', sinceMs: NOW.getTime(), code: 'DROP_SYMLINK' });
    expect(words).toMatch(/^not a plain file, so it will move to quarantine: .*link/);
    expect(words).not.toContain('.done');
  });
});
