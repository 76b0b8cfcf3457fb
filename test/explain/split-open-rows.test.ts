import { describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState, FINAL_BATCH_STATES } from '../../schemas/lifecycle.ts';
import { splitOpenRows } from '../../src/explain/split-open-rows.ts';

const UNSENT = { not_sent: { rows: 5, cents: 900 } };
const STATES = Object.keys(BATCH_STATES) as BatchState[];
const isFinal = (state: BatchState) => (FINAL_BATCH_STATES as readonly BatchState[]).includes(state);

describe('splitOpenRows', () => {
  it.each(STATES.filter((state) => !isFinal(state)))(
    'never says NOT_SENT of the rows of a batch that is %s',
    (state) => {
      expect(splitOpenRows(UNSENT, [{ state, rows: 5, cents: 900 }])).toEqual({
        outcomes: {},
        open: { rows: 5, cents: 900 },
      });
    },
  );

  it('leaves what was cancelled, and what is decided, as it is', () => {
    const outcomes = { ...UNSENT, approved: { rows: 3, cents: 700 } };
    const batches = [
      { state: 'reconciled', rows: 3, cents: 700 },
      { state: 'cancelled', rows: 2, cents: 300 },
      { state: 'unknown', rows: 3, cents: 600 },
    ] as const;
    expect(splitOpenRows(outcomes, batches)).toEqual({
      outcomes: { approved: { rows: 3, cents: 700 }, not_sent: { rows: 2, cents: 300 } },
      open: { rows: 3, cents: 600 },
    });
    expect(splitOpenRows(outcomes, batches.slice(0, 1))).toEqual({ outcomes, open: { rows: 0, cents: 0 } });
  });

  it('counts a batch that has ended since as decided', () => {
    const decided = { approved: { rows: 5, cents: 900 } };
    expect(splitOpenRows(decided, [{ state: 'submitted', rows: 5, cents: 900 }]).outcomes).toEqual(decided);
  });
});
