import { describe, expect, it } from 'vitest';
import type { HoldingBatch, Stop } from '../../src/ledger/account/read-holds.ts';
import { accountWord } from '../../src/explain/account-word.ts';

const since = new Date('2026-06-15T10:00:00Z');
const stop = (kind: Stop['kind']): Stop => ({ account: 'main', kind, reason: 'wait', actor: 'operator:ada', since });
const batch = (state: HoldingBatch['state']): HoldingBatch => ({
  fileId: 'g7fhpaqs00000000',
  name: 'june.csv',
  batchNo: 2,
  state,
  rows: 3,
  cents: 7_500,
  since,
  reason: null,
});

describe('accountWord', () => {
  it.each([
    ['sends', [], []],
    ['sends', [], [batch('sending')]],
    ['sends', [], [batch('preparing')]],
    ['paused', [stop('pause')], [batch('unknown')]],
    ['stopped', [stop('pause'), stop('journal')], []],
    ['stopped', [stop('fault')], []],
    ['in doubt', [], [batch('refused'), batch('unknown')]],
    ['refused', [], [batch('refused')]],
  ] as const)('says "%s", by what comes first', (word, stops, batches) => {
    expect(accountWord({ stops: [...stops], batches: [...batches] })).toBe(word);
  });
});
