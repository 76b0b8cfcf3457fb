import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { copyOut, copyPieces, tupleReader } from '../../../src/ledger/copy/copy-out.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('copyOut', () => {
  it('gives the rows of a query in their order, and leaves the connection to the next one', async () => {
    const client = await world.ledger.pool.connect();
    try {
      const numbers: number[] = [];
      const add = tupleReader(1, (bytes, cells) => void numbers.push(bytes.readInt32BE(cells[0])));
      await copyOut(client, 'SELECT n FROM generate_series(1, 20000) n ORDER BY n', add);
      expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 1));
      expect((await client.query('SELECT 7 AS seven')).rows).toEqual([{ seven: 7 }]);
    } finally {
      client.release();
    }
  });

  it('throws what the server says', async () => {
    const client = await world.ledger.pool.connect();
    await expect(copyOut(client, 'SELECT 1 / 0', () => {})).rejects.toMatchObject({ code: '22012' });
    client.release(true);
  });
});

describe('copyPieces', () => {
  it('tells pg that the answer has come, also when the rest is not wanted', async () => {
    const callback = vi.fn();
    const query = (copy: object) => {
      Object.assign(copy, { callback });
      return Readable.from([Buffer.from('a piece'), Buffer.from('another')]);
    };
    const pieces = copyPieces({ query } as never, 'COPY t TO STDOUT');
    expect(await pieces.next()).toEqual({ done: false, value: Buffer.from('a piece') });
    expect(callback).not.toHaveBeenCalled();
    await pieces.return(undefined);
    expect(callback).toHaveBeenCalledOnce();
  });
});
