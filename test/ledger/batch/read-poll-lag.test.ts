import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BatchState } from '../../../schemas/lifecycle.ts';
import { readPollLag } from '../../../src/ledger/batch/schedule-poll.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
beforeEach(() => world.empty());
afterAll(() => world.close());

async function waiting(state: BatchState, nextPollAt: string | null, staleSince: string | null = null): Promise<void> {
  const { file_id: fileId } = await world.batchIn(state, { account: 'main' });
  await world.force('UPDATE batch SET next_poll_at = $2, stale_since = $3, submitted_at = $4 WHERE file_id = $1', [
    fileId,
    nextPollAt,
    staleSince,
    START,
  ]);
}

describe('readPollLag', () => {
  it('names the question that has waited longest, and counts what is overdue', async () => {
    await waiting('submitted', '2026-06-15T10:05:00.000Z');
    await waiting('submitted', '2026-06-15T10:03:00.000Z', START);
    await waiting('exception', '2026-06-15T10:04:00.000Z');
    expect(await readPollLag(world.ledger)).toEqual([
      { account: 'main', waiting: 3, overdue: 1, dueAt: new Date('2026-06-15T10:03:00.000Z') },
    ]);
  });

  it('reckons a batch that was never asked about from when the service took it', async () => {
    await waiting('submitted', null);
    expect(await readPollLag(world.ledger)).toMatchObject([{ waiting: 1, dueAt: new Date(START) }]);
  });

  it.each(['ready', 'unknown', 'result_in', 'reconciled'] as const)('leaves out a batch that is %s', async (state) => {
    await waiting(state, '2026-06-15T10:03:00.000Z');
    expect(await readPollLag(world.ledger)).toEqual([]);
  });

  it('leaves out an exception that is not asked for again', async () => {
    await waiting('exception', null);
    expect(await readPollLag(world.ledger)).toEqual([]);
  });
});
