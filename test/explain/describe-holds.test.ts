import { describe, expect, it } from 'vitest';
import { stepText } from '../../schemas/steps.ts';
import { describeHolds } from '../../src/explain/describe-holds.ts';
import type { HoldingBatch, Stop } from '../../src/ledger/account/read-holds.ts';

const since = new Date('2026-06-15T10:00:00Z');
const stop: Stop = { account: 'main', kind: 'pause', reason: 'wait', actor: 'operator:ada', since };
const batch: HoldingBatch = {
  fileId: 'g7fhpaqs00000000',
  name: 'june.csv',
  batchNo: 2,
  state: 'unknown',
  rows: 3,
  cents: 7_500,
  since,
  reason: 'the connection was reset',
};
const KEY = { fileId: batch.fileId, batchNo: 2 };
const ask = (stops: Stop[], batches: HoldingBatch[]) => describeHolds({ stops, batches }, 'America/Toronto');

describe('describeHolds', () => {
  it.each([
    [
      {},
      [
        'It was paused by operator:ada at 2026-06-15 06:00:00 -04:00: wait. ',
        'To go on: ',
        { action: 'resume', account: 'main' },
        '.',
      ],
    ],
    [
      { account: '*' },
      [
        'All accounts were paused by operator:ada at 2026-06-15 06:00:00 -04:00: wait. ',
        'To go on: ',
        { action: 'resume', account: '*' },
        '.',
      ],
    ],
    [
      { kind: 'fault' },
      [
        'It was stopped at 2026-06-15 06:00:00 -04:00: wait. ',
        'When the cause is fixed: ',
        { action: 'resume', account: 'main' },
        '.',
      ],
    ],
  ] as [Partial<Stop>, unknown[]][])('says who or what stopped it and how to go on: %j', (more, expected) => {
    expect(ask([{ ...stop, ...more }], [])).toEqual([expected]);
  });

  it('says after a restore what to compare first', () => {
    const [step] = ask([{ ...stop, kind: 'journal' }], []);
    expect(stepText(step!)).toMatch(
      /may be older than what was sent\. See "paydrop account forgotten main" and "paydrop unknown list", .*: "paydrop account reconcile main --report PATH --reason …"\. .*: "paydrop account resume main --reason …"\.$/,
    );
  });

  it.each([
    ['unknown', /has been in doubt since .*: the connection was reset\. /, [{ see: 'doubt', ...KEY }]],
    [
      'refused',
      /was refused at .*Nothing was charged/,
      [
        { action: 'retry', ...KEY },
        { action: 'withdraw', ...KEY },
      ],
    ],
    ['sending', /has been in progress since .*There is nothing to do\./, []],
    ['preparing', /has been in progress since .*There is nothing to do\./, []],
  ] as const)('says what to do about a batch that is %s, with its money', (state, expected, named) => {
    const [step] = ask([], [{ ...batch, state }]);
    const said = stepText(step!);
    expect(said).toMatch(expected);
    expect(step!.filter((part) => typeof part !== 'string')).toEqual(named);
    expect(said).toContain('Batch 2 of june.csv (g7fhpaqs00000000/2, 3 rows, 75.00)');
  });

  it('says nothing when nothing holds', () => {
    expect(ask([], [])).toEqual([]);
  });
});
