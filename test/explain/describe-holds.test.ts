import { describe, expect, it } from 'vitest';
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
const ask = (stops: Stop[], batches: HoldingBatch[]) => describeHolds({ stops, batches }, 'America/Toronto');

describe('describeHolds', () => {
  it.each([
    [
      {},
      'It was paused by operator:ada at 2026-06-15 06:00:00 -04:00: wait. To go on: "paydrop account resume main --reason …".',
    ],
    [
      { account: '*' },
      'All accounts were paused by operator:ada at 2026-06-15 06:00:00 -04:00: wait. To go on: "paydrop account resume --all --reason …".',
    ],
    [
      { kind: 'journal' },
      /may be older than what was sent.*"paydrop account forgotten main".*"paydrop account reconcile main.*"paydrop account resume main/,
    ],
    [{ kind: 'fault' }, /When the cause is fixed: "paydrop account resume main/],
  ] as [Partial<Stop>, string | RegExp][])('says who or what stopped it and how to go on: %j', (more, expected) => {
    const [said, ...others] = ask([{ ...stop, ...more }], []);
    expect(others).toEqual([]);
    if (typeof expected === 'string') expect(said).toBe(expected);
    else expect(said).toMatch(expected);
  });

  it.each([
    ['unknown', /is in doubt since .*: the connection was reset\. .*"paydrop resolve g7fhpaqs00000000\/2"/],
    ['refused', /is refused .*"paydrop retry g7fhpaqs00000000\/2 .*"paydrop withdraw/],
    ['sending', /is being sent .*Nothing is to be done/],
    ['preparing', /is being sent .*Nothing is to be done/],
  ] as const)('says what to do about a batch that is %s, with its money', (state, expected) => {
    const [said] = ask([], [{ ...batch, state }]);
    expect(said).toMatch(expected);
    expect(said).toContain('Batch 2 of june.csv (g7fhpaqs00000000/2, 3 rows, 75.00)');
  });

  it('says nothing when nothing holds', () => {
    expect(ask([], [])).toEqual([]);
  });
});
