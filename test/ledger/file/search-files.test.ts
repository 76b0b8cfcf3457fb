import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maskName } from '../../../src/kernel/mask.ts';
import { findBatchesById, searchFiles } from '../../../src/ledger/file/list-files.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
let june: FileRow;
beforeAll(async () => {
  world = await openTestLedger();
  await world.claimed({ name: 'May dues.csv' });
  june = await world.accepted({ name: maskName('june-20260615-4222222222222220.csv') });
});
afterAll(() => world.close());

describe('searchFiles', () => {
  it.each([
    ['id', () => june.file_id],
    ['first letters of the id', () => june.file_id.slice(0, 4)],
    ['the id in large letters', () => june.file_id.slice(0, 8).toUpperCase()],
    ['a part of the name', () => 'JUNE'],
    ['a name with a long number, which the ledger keeps masked', () => 'june-20260615-4222222222222220.csv'],
  ])('finds a file by %s', async (_, words) => {
    expect((await searchFiles(world.ledger, words(), 10)).map((file) => file.file_id)).toEqual([june.file_id]);
  });

  it('finds names with a day, as they are kept and as they were kept once', async () => {
    const kept = ['charges_20260617.csv', 'charges_****0617.csv'];
    const ids = await Promise.all(kept.map(async (name) => (await world.claimed({ name })).file_id));
    const found = await searchFiles(world.ledger, 'charges_20260617', 10);
    expect(found.map((file) => file.file_id).sort()).toEqual(ids.sort());
  });

  it('finds nothing by signs that a pattern would read, and no more than asked for', async () => {
    expect(await searchFiles(world.ledger, '%', 10)).toEqual([]);
    expect(await searchFiles(world.ledger, '____', 10)).toEqual([]);
    expect((await searchFiles(world.ledger, 'e', 1)).map((file) => file.file_id)).toHaveLength(1);
  });
});

describe('findBatchesById', () => {
  it('finds the batches of all accounts that got this id', async () => {
    const one = await world.batchIn('submitted', { account: 'one' });
    const two = await world.batchIn('submitted', { account: 'two' });
    await world.force(`UPDATE batch SET batch_id = '1007' WHERE file_id = ANY ($1)`, [[one.file_id, two.file_id]]);
    const found = await findBatchesById(world.ledger, '1007');
    expect(found.map(({ fileId, account }) => [fileId, account])).toEqual([
      [two.file_id, 'two'],
      [one.file_id, 'one'],
    ]);
    expect(await findBatchesById(world.ledger, '100')).toEqual([]);
  });
});
