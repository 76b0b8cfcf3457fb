import { reconcileBatch } from '../support/end-batches.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Settings } from '../../src/config/config.ts';
import { readBlocks, readShown, readShownFile, showBatch } from '../../src/explain/read-blocks.ts';
import { pauseAccount } from '../../src/ledger/account/pause-account.ts';
import { changeOutcomes } from '../../src/ledger/row/change-outcomes.ts';
import { transact } from '../../src/ledger/engine/transaction.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { openTestLedger, outcomesOf } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { stopAccount } from '../../src/ledger/account/stop-account.ts';

const world = openedForTests(openTestLedger);
beforeEach(() => world.empty());

const because = { actor: 'operator:ada', reason: 'amounts look wrong' };
/** The clock of the world stands at 06:00 in Toronto, and the window of `night` opens at 20:00. */
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const window = { from: '20:00', to: '23:00', days: DAYS, holidays: [] };
const zone = { timeZone: 'America/Toronto' };
const settings = {
  accounts: new Map<string, object>([
    ['main', zone],
    ['night', { ...zone, window }],
  ]),
} as unknown as Pick<Settings, 'accounts'>;

const blocksOf = async (account: string) => (await readBlocks(world.ledger, settings))(account);
const saysOf = async (account: string) => (await blocksOf(account)).map(({ says }) => says);

describe('readBlocks', () => {
  it('finds nothing where an account may send, also one that left the configuration', async () => {
    await world.accepted({ account: 'main' });
    expect(await blocksOf('main')).toEqual([]);
    expect(await blocksOf('gone')).toEqual([]);
  });

  it('names the batch in doubt before a refused one, and both before a stop', async () => {
    const refused = await world.batchIn('refused', { account: 'main', name: 'no.csv' });
    const lost = await world.batchIn('unknown', { account: 'main', name: 'lost.csv' });
    await stopAccount(world.ledger, 'main', 'restricted');
    await pauseAccount(world.ledger, '*', because);
    expect(
      (await blocksOf('main')).map(({ kind, says, fileId, batchNo }) => ({ kind, says, fileId, batchNo })),
    ).toEqual([
      { kind: 'in_doubt', says: 'batch 1 of lost.csv is in doubt', fileId: lost.file_id, batchNo: 1 },
      { kind: 'refused', says: 'the service refused batch 1 of no.csv', fileId: refused.file_id, batchNo: 1 },
      {
        kind: 'paused',
        says: 'all accounts are paused by ada: amounts look wrong',
        fileId: null,
        batchNo: null,
      },
      { kind: 'stopped', says: 'account main is stopped: restricted', fileId: null, batchNo: null },
    ]);
    expect(await saysOf('night')).toEqual([
      'all accounts are paused by ada: amounts look wrong',
      'the sending window of account night is closed until 2026-06-15 20:00:00 -04:00',
    ]);
  });

  it('tells a service that was not reached for long, and not after a first try', async () => {
    const file = await world.accepted({ account: 'main' });
    const tried = (releases: number) =>
      world.force('UPDATE batch SET releases = $2 WHERE file_id = $1', [file.file_id, releases]);
    await tried(1);
    expect(await blocksOf('main')).toEqual([]);
    await tried(10);
    expect(await blocksOf('main')).toMatchObject([{ kind: 'unreached', account: 'main', since: null }]);
  });
});

describe('readShown', () => {
  it('takes the worst of several batches, and the blocks only where a batch waits', async () => {
    const mixed = await world.accepted({ account: 'main', batches: 3 });
    await world.putBatch({ fileId: mixed.file_id, batchNo: 1 }, 'submitted');
    await world.putBatch({ fileId: mixed.file_id, batchNo: 2 }, 'exception');
    const sent = await world.accepted({ account: 'night' });
    await world.putBatch({ fileId: sent.file_id, batchNo: 1 }, 'submitted');
    const waits = await world.accepted({ account: 'night' });
    const rejected = await world.rejected({ account: 'night' });
    const shown = await readShown(world.ledger, settings, [mixed, sent, waits, rejected]);
    expect(shown.map((file) => [file.shown, file.blockedBy.map(({ kind }) => kind)])).toEqual([
      ['mismatch', []],
      ['awaiting_result', []],
      ['blocked', ['window']],
      ['rejected', []],
    ]);
    expect(await readShown(world.ledger, settings, [])).toEqual([]);
  });

  it('follows the outcomes of a completed file, also after they changed', async () => {
    const file = await world.accepted({ account: 'main', rowsPerBatch: 2 });
    const key = { fileId: file.file_id, batchNo: 1 };
    const rows = outcomesOf(await world.putBatch(key, 'result_in'));
    await reconcileBatch(world.ledger, key, file.file_no, [{ ...rows[0]!, outcome: 'declined' }, rows[1]!], {});
    const completed = await world.putFile(file.file_id, 'completed');
    expect(await shownOf(completed)).toBe('completed_with_declines');
    const by = { actor: 'worker:poll', reason: 'late', source: 'asked again' };
    await transact(world.ledger, (tx) => changeOutcomes(tx, key, [rows[0]!], by));
    expect(await shownOf(completed)).toBe('completed');
  });
  const shownOf = async (file: FileRow) => (await readShownFile(world.ledger, settings, file)).shown;
});

it('showBatch blocks a batch that waits, and no other', async () => {
  const blocks = await readBlocks(world.ledger, settings);
  const file = { account: 'night', state: 'in_progress' } as const;
  expect(showBatch({ state: 'ready' }, file, blocks)).toMatchObject({
    shown: 'blocked',
    blockedBy: [{ kind: 'window' }],
  });
  expect(showBatch({ state: 'submitted' }, file, blocks)).toEqual({ shown: 'awaiting_result', blockedBy: [] });
  expect(showBatch({ state: 'ready' }, { ...file, account: 'main' }, blocks)).toEqual({
    shown: 'queued',
    blockedBy: [],
  });
});
