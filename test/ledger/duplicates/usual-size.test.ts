import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAcceptedCents, readUsualSize } from '../../../src/ledger/duplicates/find-duplicate.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const usual = (file: FileRow) => transact(world.ledger, (tx) => readUsualSize(tx, file));

/** Makes an accepted file with this many rows and cents. */
async function past(account: string, rows: number, cents: number): Promise<FileRow> {
  const file = await world.accepted({ account });
  await world.force('UPDATE file SET valid_rows = $2, valid_cents = $3 WHERE file_id = $1', [
    file.file_id,
    rows,
    cents,
  ]);
  world.clock.set(new Date(world.clock.now().getTime() + 1_000).toISOString());
  return file;
}

describe('readUsualSize', () => {
  it('knows nothing of the first file', async () => {
    expect(await usual(await world.claimed())).toEqual({ files: 0, rows: 0, cents: 0 });
  });

  it('is the median, which one huge file does not move; refunds count without their sign', async () => {
    const account = 'median';
    for (const [rows, cents] of [
      [10, 1_000],
      [12, -1_200],
      [9_000, 90_000_000],
      [11, -1_100],
    ] as const)
      await past(account, rows, cents);
    expect(await usual(await world.claimed({ account }))).toEqual({ files: 4, rows: 11.5, cents: 1_150 });
  });

  it('is of the last twenty only', async () => {
    const account = 'twenty';
    for (let n = 1; n <= 23; n += 1) await past(account, n <= 3 ? 1_000 : 5, n <= 3 ? 1_000 : 500);
    expect(await usual(await world.claimed({ account }))).toEqual({ files: 20, rows: 5, cents: 500 });
  });

  it('counts neither the file itself, nor held, refused and cancelled ones, nor other folders and accounts', async () => {
    const account = 'others';
    const own = await past(account, 5, 500);
    await world.held({ account });
    await world.rejected({ account });
    await world.putFile((await past(account, 7, 700)).file_id, 'cancelled');
    await past('another', 9, 900);
    expect(await usual(own)).toMatchObject({ files: 0 });
    expect(await usual(await world.claimed({ account }))).toEqual({ files: 1, rows: 5, cents: 500 });
    expect(await usual(await world.claimed({ account, folder: 'drop/other' }))).toMatchObject({ files: 0 });
  });
});

describe('readAcceptedCents', () => {
  it('adds up what was accepted since, without signs, of this account', async () => {
    world.clock.set(START);
    const account = 'day';
    await past(account, 1, 10_000);
    const since = world.clock.now();
    await past(account, 1, 2_500);
    await past(account, 1, -500);
    await world.held({ account });
    await world.putFile((await past(account, 1, 9_999)).file_id, 'cancelled');
    await past('another', 1, 7_777);
    const ask = (from: Date) => transact(world.ledger, (tx) => readAcceptedCents(tx, account, from));
    expect(await ask(since)).toBe(3_000);
    expect(await ask(new Date(START))).toBe(13_000);
    expect(await ask(world.clock.now())).toBe(0);
  });

  it('counts a file that came while a clock was behind, by the one that was right', async () => {
    const since = world.clock.now();
    world.clock.advance(-400 * 86_400_000);
    const { file_id: fileId } = await past('behind', 1, 5_000);
    world.clock.set(since);
    const ask = () => transact(world.ledger, (tx) => readAcceptedCents(tx, 'behind', since));
    expect(await ask()).toBe(0);
    await world.force('UPDATE file SET aged_from = $2 WHERE file_id = $1', [fileId, since]);
    expect(await ask()).toBe(5_000);
  });
});
