import { describe, expect, it } from 'vitest';
import { beginPull, findDropped, notePull, wasClaimed } from '../../../src/features/transfers/pull-records.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import { claimOf, openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

describe('pull records', () => {
  const world = openedForTests(openTestLedger);

  function fileOf(folder: string, identity: string) {
    return { folder, name: 'june.csv', identity: Buffer.from(identity) };
  }

  describe('beginPull', () => {
    it('notes a file once, and says then how far it came', async () => {
      const first = await beginPull(world.ledger, fileOf('drop/a', 'one'));
      expect(first).toEqual({ pullNo: first.pullNo, state: 'fetching', sha256: null });
      await notePull(world.ledger, first.pullNo, 'fetched', 'ab'.repeat(32));
      await notePull(world.ledger, first.pullNo, 'dropped');
      expect(await beginPull(world.ledger, fileOf('drop/a', 'one'))).toEqual({
        pullNo: first.pullNo,
        state: 'dropped',
        sha256: 'ab'.repeat(32),
      });
    });

    it('tells files apart by their identity and their folder', async () => {
      const numbers = [fileOf('drop/b', 'one'), fileOf('drop/b', 'two'), fileOf('drop/c', 'one')].map(async (file) => {
        const { pullNo } = await beginPull(world.ledger, file);
        return pullNo;
      });
      expect(new Set(await Promise.all(numbers)).size).toBe(3);
    });
  });

  describe('findDropped', () => {
    it('finds those of the folder of which the server was not told', async () => {
      const pulls = await Promise.all(
        ['x', 'y', 'z'].map((identity) => beginPull(world.ledger, fileOf('drop/d', identity))),
      );
      await notePull(world.ledger, pulls[0]!.pullNo, 'dropped');
      await notePull(world.ledger, pulls[1]!.pullNo, 'done');
      expect(await findDropped(world.ledger, 'drop/d')).toEqual(
        new Map([[Buffer.from('x').toString('hex'), pulls[0]!.pullNo]]),
      );
      expect(await findDropped(world.ledger, 'drop/e')).toEqual(new Map());
    });
  });

  describe('wasClaimed', () => {
    it('knows the bytes that the folder had, and no others', async () => {
      const sha256 = 'cd'.repeat(32);
      await claimForTest(world.ledger, claimOf({ folder: 'drop/f', sha256 }));
      expect(await wasClaimed(world.ledger, 'drop/f', sha256)).toBe(true);
      expect(await wasClaimed(world.ledger, 'drop/f', 'ef'.repeat(32))).toBe(false);
      expect(await wasClaimed(world.ledger, 'drop/g', sha256)).toBe(false);
    });
  });
});
