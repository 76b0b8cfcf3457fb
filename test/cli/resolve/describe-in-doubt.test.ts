import { describe, expect, it } from 'vitest';
import { describeInDoubt, showInDoubt } from '../../../src/cli/resolve/describe-in-doubt.ts';
import type { InDoubt } from '../../../src/ledger/doubt/in-doubt.ts';
import { ACCOUNT, CALLED_AT, foundDoubt } from '../support/found-doubt.ts';

function show(change: Partial<InDoubt> = {}) {
  const now = new Date(CALLED_AT.getTime() + 7_500_000);
  return showInDoubt(foundDoubt(change), { account: ACCOUNT, now, dir: '.' });
}

describe('showInDoubt', () => {
  it('holds what a program needs', () => {
    expect(show()).toMatchObject({
      batch: 'g7fhpaqs00000000/2',
      name: 'monday.csv',
      account: 'main',
      rows: 3,
      cents: 7_500,
      calledAt: CALLED_AT,
      waitingMs: 7_500_000,
      notReceivedFrom: new Date('2026-06-16T10:00:00Z'),
      seenBatchIds: [],
      nextSteps: { length: 5 },
    });
  });

  it('counts from the change of state for a batch that has no call on record', () => {
    expect(show({ attempts: [] }).calledAt).toEqual(CALLED_AT);
  });
});

describe('describeInDoubt', () => {
  it('says the second of the attempt in both zones, how much left, what came back, and what waits', () => {
    const text = describeInDoubt(show());
    for (const words of [
      'Batch g7fhpaqs00000000/2 of monday.csv',
      'Total         75.00',
      'Sent          2026-06-15T10:00:00.000Z (2026-06-15 06:00:00 -04:00), attempt 1, to service.test',
      'Written       900 bytes; the request has 900 and its headers',
      'Returned      nothing',
      'Why in doubt  the connection was reset',
      'Waits         2 hours 5 minutes; it can be marked as not received from 2026-06-16T10:00:00.000Z',
      'Next steps',
    ])
      expect(text).toContain(words);
  });

  it('says what is not known, what came too late, and what reports said', () => {
    const [attempt] = foundDoubt().attempts;
    const answered = { httpStatus: 500, bytesRead: 40, answerText: '<h1>Server Error</h1>' };
    const text = describeInDoubt(
      show({
        attempts: [{ ...attempt!, evidence: answered }],
        lateAnswers: [{ at: CALLED_AT, reason: 'the service gave it batch id 1002', evidence: {} }],
        reports: [{ name: 'r.csv', at: CALLED_AT, covers: false, newestAt: null, found: 2, absent: 1 }],
      }),
    );
    expect(text).toContain('not known; the request has 900 and its headers');
    expect(text).toContain('HTTP 500, 40 bytes, <h1>Server Error</h1>');
    expect(text).toContain(': the service gave it batch id 1002');
    expect(text).toContain('2 rows found, 1 missing; missing rows prove nothing');
  });
});
