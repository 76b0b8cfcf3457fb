import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BATCH_STATES,
  type BatchState,
  FILE_STATES,
  type FileState,
  FINAL_BATCH_STATES,
  type Outcome,
  OUTCOMES,
  PROFILE_STATES,
  REPROCESS_STATES,
  RUN_STATES,
} from '../../schemas/lifecycle.ts';
import {
  saidOutcome,
  saidShown,
  saidState,
  SHOWN,
  type Shown,
  SHOWN_OUTCOMES,
  shownOfBatch,
  shownOfFile,
  shownOfState,
  worstOf,
} from '../../schemas/shown.ts';

const names = Object.keys(SHOWN) as Shown[];
const fileStates = Object.keys(FILE_STATES) as FileState[];
const batchStates = Object.keys(BATCH_STATES) as BatchState[];
const openStates = batchStates.filter((state) => !FINAL_BATCH_STATES.some((final) => final === state));

describe('SHOWN', () => {
  it('has one word or a few for each, begun with a capital and never that of a code', () => {
    for (const { word, means } of [...Object.values(SHOWN), ...Object.values(SHOWN_OUTCOMES)].map(withMeaning))
      expect([word, means]).toEqual([
        expect.stringMatching(/^[A-Z][a-z]+( [a-z]+){0,2}$/),
        expect.not.stringMatching(/_|\.$/),
      ]);
  });

  it('gives each state of a file, batch, run, profile and selection its word and its color', () => {
    const states = { ...FILE_STATES, ...BATCH_STATES, ...RUN_STATES, ...PROFILE_STATES, ...REPROCESS_STATES };
    const table = Object.fromEntries(
      Object.keys(states).map((state) => [
        state,
        `${SHOWN[shownOfState(state)!].word}, ${SHOWN[shownOfState(state)!].tone}`,
      ]),
    );
    expect(table).toEqual({
      claimed: 'Checking, busy',
      rejected: 'Rejected, bad',
      held: 'Needs approval, warn',
      accepted: 'Queued, busy',
      in_progress: 'Processing, busy',
      completed: 'Completed, good',
      cancelled: 'Cancelled, quiet',
      partly_cancelled: 'Partly cancelled, quiet',
      ready: 'Queued, busy',
      sending: 'Sending, busy',
      unknown: 'In doubt, bad',
      submitted: 'Awaiting result, busy',
      result_in: 'Reconciling, busy',
      exception: 'Result mismatch, bad',
      reconciled: 'Reconciled, good',
      refused: 'Refused, bad',
      running: 'Running, busy',
      done: 'Done, good',
      missed: 'Missed, bad',
      failed: 'Failed, bad',
      draft: 'Draft, quiet',
      confirmed: 'Confirmed, good',
      retired: 'Retired, quiet',
      selected: 'Selected, quiet',
      ended: 'Done, good',
    });
    expect(shownOfState('of old')).toBeUndefined();
  });
});

function withMeaning(row: { word: string; means?: string }) {
  return { word: row.word, means: row.means ?? '' };
}

describe('worstOf', () => {
  it('is the first of the table, whatever the order and however often each is named', () => {
    const some = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(some, (shown) => {
        const first = Math.min(...shown.map((each) => names.indexOf(each)));
        expect(worstOf(shown as [Shown, ...Shown[]])).toBe(names[first]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('shownOfFile', () => {
  const quiet = { open: [], outcomes: [], isUndecided: false, isBlocked: false } as const;
  const known = fc.record({
    open: fc.array(fc.constantFrom(...openStates), { maxLength: 5 }),
    outcomes: fc.array(fc.constantFrom(...(Object.keys(OUTCOMES) as Outcome[])), { maxLength: 5 }),
    isUndecided: fc.boolean(),
    isBlocked: fc.boolean(),
  });

  it.each([
    ['in_progress', ['ready', 'unknown', 'exception', 'refused'], 'in_doubt'],
    ['in_progress', ['refused', 'exception', 'submitted'], 'mismatch'],
    ['in_progress', ['ready', 'refused', 'result_in'], 'refused'],
    ['in_progress', ['ready', 'sending', 'submitted'], 'processing'],
    ['partly_cancelled', ['unknown'], 'in_doubt'],
    ['partly_cancelled', ['submitted'], 'awaiting_result'],
    ['held', ['ready'], 'needs_approval'],
    ['accepted', ['ready'], 'queued'],
  ] as const)('of a %s file with batches %j is %s', (state, open, shown) => {
    expect(shownOfFile(state, { ...quiet, open })).toBe(shown);
  });

  it('is blocked while a batch waits that could be sent, and only then', () => {
    const blocked = (state: FileState, ...open: BatchState[]) =>
      shownOfFile(state, { ...quiet, open, isBlocked: true });
    expect(blocked('accepted', 'ready')).toBe('blocked');
    expect(blocked('in_progress', 'submitted', 'ready')).toBe('blocked');
    expect(blocked('in_progress', 'submitted')).toBe('processing');
    expect(blocked('held', 'ready')).toBe('needs_approval');
    expect(blocked('in_progress', 'unknown', 'ready')).toBe('in_doubt');
    expect(blocked('completed')).toBe('completed');
  });

  it('tells declines of a completed file, and first of all rows that were closed in doubt', () => {
    const of = (state: FileState, ...outcomes: Outcome[]) => shownOfFile(state, { ...quiet, outcomes });
    expect(of('completed', 'approved', 'accepted_pending')).toBe('completed');
    for (const outcome of ['declined', 'duplicate', 'format_error', 'not_charged'] as const)
      expect(of('completed', 'approved', outcome)).toBe('completed_with_declines');
    expect(of('completed', 'declined', 'unknown')).toBe('unresolved');
    expect(of('partly_cancelled', 'declined')).toBe('partly_cancelled');
    expect(of('partly_cancelled', 'unknown')).toBe('unresolved');
  });

  it('names rows that the service left open apart from those that a person closed', () => {
    const outcomes = ['unknown', 'declined'] as const;
    expect(shownOfFile('completed', { ...quiet, outcomes, isUndecided: true })).toBe('undecided');
    expect(shownOfFile('in_progress', { ...quiet, open: ['submitted'], isUndecided: true })).toBe('undecided');
    expect(shownOfFile('in_progress', { ...quiet, open: ['unknown'], isUndecided: true })).toBe('in_doubt');
  });

  it('never looks healthier for one more batch, outcome or stop', () => {
    const rank = (state: FileState, what: Parameters<typeof shownOfFile>[1]) => names.indexOf(shownOfFile(state, what));
    fc.assert(
      fc.property(fc.constantFrom(...fileStates), known, fc.constantFrom(...openStates), (state, what, more) => {
        const before = rank(state, what);
        expect(rank(state, { ...what, open: [...what.open, more] })).toBeLessThanOrEqual(before);
        expect(rank(state, { ...what, outcomes: [...what.outcomes, 'unknown'] })).toBeLessThanOrEqual(before);
        expect(rank(state, { ...what, isBlocked: true })).toBeLessThanOrEqual(before);
        expect(rank(state, { ...what, isUndecided: true })).toBeLessThanOrEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  it('shouts as soon as one batch is in doubt', () => {
    fc.assert(
      fc.property(fc.constantFrom(...fileStates), known, (state, what) => {
        expect(shownOfFile(state, { ...what, open: [...what.open, 'unknown'] })).toBe('in_doubt');
      }),
      { numRuns: 100 },
    );
  });
});

describe('shownOfBatch', () => {
  it('is that of its state, but for one that waits to be sent', () => {
    for (const state of batchStates.filter((each) => each !== 'ready'))
      expect(shownOfBatch(state, 'held', true)).toBe(shownOfState(state));
    expect(shownOfBatch('ready', 'held', true)).toBe('needs_approval');
    expect(shownOfBatch('ready', 'accepted', true)).toBe('blocked');
    expect(shownOfBatch('ready', 'accepted', false)).toBe('queued');
    expect(shownOfBatch('reconciled', 'completed', false, { isUndecided: true })).toBe('undecided');
  });
});

describe('the words in a sentence', () => {
  it.each([
    ['in_progress', 'processing'],
    ['unknown', 'in doubt'],
    ['held', 'needs approval'],
    ['partly_cancelled', 'partly cancelled'],
    ['of_old', 'of old'],
  ])('saidState says %s as %s', (state, words) => expect(saidState(state)).toBe(words));

  it('saidShown adds what it means', () => {
    expect(saidShown('rejected')).toBe('rejected (the file failed its checks; nothing in it is sent)');
  });

  it('saidOutcome names an outcome as pages do, and says what it means', () => {
    expect(saidOutcome('accepted_pending')).toBe('pending at bank (passed to the bank, not paid yet)');
  });
});
