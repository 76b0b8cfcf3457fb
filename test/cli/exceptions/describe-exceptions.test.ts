import { describe, expect, it } from 'vitest';
import { describeExceptions } from '../../../src/cli/show/exceptions.ts';

describe('describeExceptions', () => {
  it('says what waits and what to type next', () => {
    const text = describeExceptions([
      {
        fileId: '2anp3p7jwetvmz4z',
        batchNo: 2,
        name: 'monday.csv',
        account: 'main',
        batchId: '1000003',
        rows: 3,
        cents: 7_500,
        since: new Date('2026-06-15T10:00:00Z'),
        reason: 'a row is missing',
        nextPollAt: null,
      },
    ]);
    expect(text).toMatch(/2anp3p7jwetvmz4z\/2 +monday\.csv +main +1000003 +3 +75\.00 .*a row is missing/);
    expect(text).toContain('"paydrop exceptions BATCH"');
  });

  it('says so when nothing waits', () => {
    expect(describeExceptions([])).toBe('No result waits for a person: each one fits what was sent.');
  });
});
