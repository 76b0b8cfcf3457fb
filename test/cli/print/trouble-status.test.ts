import { describe, expect, it } from 'vitest';
import { troubleStatus } from '../../../src/cli/show/status.ts';
import type { Overview } from '../../../src/ledger/overview/overview.ts';

const HELD = { state: 'held', files: 1, rows: 2, cents: 5_000 };
const DONE = { state: 'completed', files: 9, rows: 90, cents: 900_000 };

describe('troubleStatus', () => {
  it.each([
    ['nothing', {}, 0, 0],
    ['files that are done', { files: [DONE] }, 0, 0],
    ['a refused file of this run', { files: [DONE] }, 1, 2],
    ['a held file', { files: [DONE, HELD] }, 1, 3],
    ['an unknown batch', { files: [HELD], doubt: [inDoubt('unknown')] }, 1, 4],
    ['an exception', { files: [HELD], doubt: [inDoubt('unknown'), inDoubt('exception')] }, 1, 5],
    ['a refused batch', { doubt: [inDoubt('refused')] }, 0, 5],
    ['a stopped account', { stopped: [{ account: 'main', reason: 'journal', since: new Date(0) }] }, 0, 5],
  ] as const)('%s: the worst decides', (_what, part, rejected, status) => {
    expect(troubleStatus(overview(part), rejected)).toBe(status);
  });
});

function overview(part: Partial<Record<keyof Overview, readonly unknown[]>>): Overview {
  return { files: [], open: [], doubt: [], stopped: [], today: [], ...part } as Overview;
}

function inDoubt(state: string): Overview['doubt'][number] {
  const since = new Date(0);
  return { account: 'main', fileId: 'f', name: 'a.csv', batchNo: 1, state, rows: 1, cents: 100, since, reason: null };
}
