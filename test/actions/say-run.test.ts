import { describe, expect, it } from 'vitest';
import type { RunRow } from '../../src/ledger/engine/records.ts';
import { sayRan, shownRun } from '../../src/actions/schedule-actions.ts';

const run = { state: 'done', summary: { files: 1 }, tries: 1, token: 'nobody shall see it' } as RunRow;
const day = '2026-06-15';

describe('sayRan', () => {
  it.each([
    [{ is: 'made', day, run }, 'The run of nightly for 2026-06-15 is done: 1 file taken.'],
    [
      { is: 'made before', day, run },
      'The run of nightly for 2026-06-15 was made before: 1 file taken. Nothing was done.',
    ],
    [{ is: 'taken again', day, taken: { files: 2, settling: 0 } }, 'Taken once more: 2 files.'],
    [{ is: 'taken again', day, taken: undefined }, 'Stopped before everything was taken.'],
    [{ is: 'busy', day }, 'The run of nightly is being made at this moment. Nothing was done.'],
    [{ is: 'no business day', day }, '2026-06-15 is no business day of nightly. Nothing was done.'],
  ] as const)('%j', (ran, words) => {
    expect(sayRan('nightly', ran as Parameters<typeof sayRan>[1])).toBe(words);
  });
});

describe('shownRun', () => {
  it('leaves the token out', () => {
    expect(shownRun({ is: 'made', day, run })).toEqual({
      is: 'made',
      day,
      state: 'done',
      summary: { files: 1 },
      tries: 1,
    });
    expect(shownRun({ is: 'busy', day })).toEqual({ is: 'busy', day });
  });
});
