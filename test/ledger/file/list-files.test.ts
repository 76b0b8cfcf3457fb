import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FileFilter, listFiles } from '../../../src/ledger/file/list-files.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
beforeEach(() => world.empty());
afterAll(() => world.close());

const names = async (filter: Partial<FileFilter> = {}) =>
  (await listFiles(world.ledger, { limit: 10, ...filter })).map((file) => file.name);

describe('listFiles', () => {
  it('has the newest first, each with how far its batches are', async () => {
    const first = await world.accepted({ name: 'first.csv', batches: 3 });
    await world.putBatch({ fileId: first.file_id, batchNo: 1 }, 'reconciled');
    await world.putBatch({ fileId: first.file_id, batchNo: 2 }, 'cancelled');
    await world.claimed({ name: 'second.csv' });
    expect(await listFiles(world.ledger, { limit: 10 })).toMatchObject([
      { name: 'second.csv', state: 'claimed', batches: 0, done: 0, records: null },
      { name: 'first.csv', state: 'accepted', batches: 3, done: 2, records: 6, valid_cents: 2_700 },
    ]);
  });

  it('pages by number, to the older and to the newer', async () => {
    const files = [];
    for (const name of ['1', '2', '3', '4']) files.push(await world.claimed({ name }));
    expect(await names({ limit: 2 })).toEqual(['4', '3']);
    expect(await names({ limit: 2, olderThan: files[2]!.file_no })).toEqual(['2', '1']);
    expect(await names({ limit: 2, newerThan: files[0]!.file_no })).toEqual(['3', '2']);
  });

  const morning = new Date('2026-06-15T06:00:00Z');
  const noon = new Date('2026-06-15T12:00:00Z');
  it.each<[Partial<FileFilter>, string[]]>([
    [{ state: 'accepted' }, ['Monday-ACCEPTED.csv']],
    [{ account: 'other' }, ['tuesday.csv']],
    [{ folder: 'drop/card' }, ['tuesday.csv']],
    [{ operation: 'card' }, ['tuesday.csv']],
    [{ name: 'accepted' }, ['Monday-ACCEPTED.csv']],
    [{ name: '%' }, []],
    [{ from: noon }, ['tuesday.csv']],
    [{ to: noon }, ['Monday-ACCEPTED.csv']],
    [{ from: morning, to: noon, state: 'claimed' }, []],
  ])('filters by %j', async (filter, expected) => {
    world.clock.set(morning.toISOString());
    await world.accepted({ name: 'Monday-ACCEPTED.csv' });
    world.clock.set(noon.toISOString());
    await world.claimed({ name: 'tuesday.csv', account: 'other', folder: 'drop/card', operation: 'card' });
    expect(await names(filter)).toEqual(expected);
  });
});
