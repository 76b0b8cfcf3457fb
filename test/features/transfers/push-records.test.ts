import { beforeEach, describe, expect, it } from 'vitest';
import { beginPushing, findUnpushed, notePushed } from '../../../src/features/transfers/push-records.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

describe('push records', () => {
  const world = openedForTests(openTestLedger);

  let file: FileRow;

  async function write(kind: string, number = 0): Promise<void> {
    await world.ledger.pool.query(
      `INSERT INTO output (file_id, kind, name, sha256, bytes, rows, written_at, number)
     VALUES ($1, $2, $3, $4, 10, 1, $5, $6)`,
      [file.file_id, kind, `${kind}-${number}.csv`, 'ab'.repeat(32), world.clock.now(), number],
    );
  }

  function unpushed(wanted: { site?: string; accounts?: string[] } = {}) {
    return findUnpushed(world.ledger, { target: 'bank:/in', site: 'main', ...wanted });
  }

  describe('findUnpushed', () => {
    beforeEach(async () => {
      await world.empty();
      file = await world.accepted();
    });

    it('finds what was written since the place is known, the oldest first, until it is noted', async () => {
      await write('ack');
      world.clock.advance(1_000);
      await beginPushing(world.ledger, 'bank:/in');
      world.clock.advance(1_000);
      await write('result');
      world.clock.advance(1_000);
      await write('correction', 1);
      await beginPushing(world.ledger, 'bank:/in');
      const found = await unpushed();
      expect(found.map(({ kind, number }) => [kind, number])).toEqual([
        ['result', 0],
        ['correction', 1],
      ]);
      await notePushed(world.ledger, 'bank:/in', found[0]!);
      await notePushed(world.ledger, 'bank:/in', found[0]!);
      expect((await unpushed()).map(({ kind }) => kind)).toEqual(['correction']);
    });

    it('leaves out other sites and other accounts', async () => {
      await beginPushing(world.ledger, 'bank:/in');
      await write('result');
      expect(await unpushed({ site: 'north' })).toEqual([]);
      expect(await unpushed({ accounts: ['somebody'] })).toEqual([]);
      expect(await unpushed({ accounts: [file.account] })).toHaveLength(1);
    });

    it('knows nothing of a place that was never begun', async () => {
      await write('result');
      expect(await unpushed()).toEqual([]);
    });
  });
});
