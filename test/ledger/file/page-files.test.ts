import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageFiles } from '../../../src/ledger/file/list-files.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
let ids: string[];
beforeAll(async () => {
  world = await openTestLedger();
  ids = [];
  for (const [name, account] of [
    ['a.csv', 'north'],
    ['b.csv', 'north'],
    ['a.csv', 'south'],
    ['c.csv', 'south'],
    ['d.csv', 'north'],
  ] as const) {
    ids.push((await world.accepted({ name, account })).file_id);
    world.clock.advance(60_000);
  }
  await world.force(`UPDATE file SET state = 'held' WHERE file_id = $1`, [ids[3]]);
});
afterAll(() => world.close());

async function found(filter: Parameters<typeof pageFiles>[1]): Promise<number[]> {
  const { files } = await pageFiles(world.ledger, filter, { limit: 10 });
  return files.map(({ file_id: id }) => ids.indexOf(id));
}

describe('pageFiles', () => {
  it('goes through all files from the newest to the oldest, each once', async () => {
    const seen: number[] = [];
    let before: number | undefined;
    do {
      const page = await pageFiles(world.ledger, {}, { limit: 2, ...(before !== undefined && { before }) });
      expect(page.files.length).toBeLessThanOrEqual(2);
      seen.push(...page.files.map(({ file_id: id }) => ids.indexOf(id)));
      before = page.next;
    } while (before !== undefined);
    expect(seen).toEqual([4, 3, 2, 1, 0]);
  });

  it('says that there is no next page when the last one is full', async () => {
    expect((await pageFiles(world.ledger, {}, { limit: 5 })).next).toBeUndefined();
  });

  it.each([
    ['account', { account: 'north' }, [4, 1, 0]],
    ['state', { state: 'held' as const }, [3]],
    ['name', { name: 'a.csv' }, [2, 0]],
    ['all of them together', { account: 'south', state: 'accepted' as const, name: 'a.csv' }, [2]],
    ['folder that there is not', { folder: 'nowhere' }, []],
  ])('finds by %s', async (_, filter, expected) => {
    expect(await found(filter)).toEqual(expected);
  });

  it('finds by the time of the claim, from a moment on and before another', async () => {
    const { files } = await pageFiles(world.ledger, {}, { limit: 10 });
    const at = (index: number) => files.find(({ file_id: id }) => id === ids[index])!.claimed_at;
    expect(await found({ claimedSince: at(1), claimedUntil: at(3) })).toEqual([2, 1]);
  });

  it('reads no keys', async () => {
    const { files } = await pageFiles(world.ledger, {}, { limit: 1 });
    expect(Object.keys(files[0]!).filter((name) => name.endsWith('_key'))).toEqual([]);
  });
});
