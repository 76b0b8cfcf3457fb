import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listOriginals, readNewestBody, readOriginals } from '../../../src/ledger/key/read-originals.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
beforeEach(() => world.empty());
afterAll(() => world.close());

describe('readOriginals', () => {
  it('knows those that are there', async () => {
    const file = await world.claimed();
    expect(await readOriginals(world.ledger, [file.file_id, 'nobody'])).toMatchObject([
      { file_id: file.file_id, state: 'claimed', archive: file.archive, wrapped_key: Buffer.from('wrapped') },
    ]);
  });
});

describe('listOriginals', () => {
  it('goes through all that have a key, slice by slice', async () => {
    const files = [await world.claimed(), await world.claimed(), await world.claimed(), await world.claimed()];
    await world.force('DELETE FROM file_secret WHERE file_id = $1', [files[1]!.file_id]);
    const slices: string[][] = [];
    for await (const slice of listOriginals(world.ledger, 'main', 2)) slices.push(slice.map((row) => row.file_id));
    expect(slices).toEqual([[files[0]!.file_id, files[2]!.file_id], [files[3]!.file_id]]);
  });
});

describe('readNewestBody', () => {
  it('gives the last batch of the last file', async () => {
    expect(await readNewestBody(world.ledger)).toBeUndefined();
    await world.accepted();
    const file = await world.accepted({ batches: 2 });
    await world.claimed();
    expect(await readNewestBody(world.ledger)).toEqual({
      fileId: file.file_id,
      batchNo: 2,
      wrapped: Buffer.from('wrapped'),
      sealed: Buffer.from('sealed body 2'),
    });
  });
});
