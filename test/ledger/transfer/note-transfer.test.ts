import { beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { claimFile } from '../../../src/ledger/file/claim-file.ts';
import {
  beginPull,
  beginPushing,
  findDropped,
  findUnpushed,
  notePull,
  notePushed,
  wasClaimed,
} from '../../../src/ledger/transfer/note-transfer.ts';
import { claimOf, openTestLedger } from '../../support/ledger-world.ts';

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
    await claimFile(world.ledger, claimOf({ folder: 'drop/f', sha256 }));
    expect(await wasClaimed(world.ledger, 'drop/f', sha256)).toBe(true);
    expect(await wasClaimed(world.ledger, 'drop/f', 'ef'.repeat(32))).toBe(false);
    expect(await wasClaimed(world.ledger, 'drop/g', sha256)).toBe(false);
  });
});

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
