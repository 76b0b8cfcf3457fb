import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseVolume, findVolumes, noteVolume } from '../../../src/ledger/duplicates/fingerprint-volumes.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const LONG_AGO = new Date(0);
const LATER = new Date(Date.parse(START) + 86_400_000);

const choose = async (file: FileRow) => (await transact(world.ledger, (tx) => chooseVolume(tx, file))).volume;
const note = (file: FileRow, volume: number, rows: number) =>
  transact(world.ledger, (tx) => noteVolume(tx, file, { volume, rows, agedFrom: file.claimed_at }));
const volumesOf = ({ account }: FileRow, since = LONG_AGO) => findVolumes(world.ledger.pool, account, since);

describe('chooseVolume', () => {
  it('begins a volume with the first file of an account, and goes on with it until it is full', async () => {
    const first = await world.claimed();
    expect(await choose(first)).toBe(first.file_no);
    await note(first, first.file_no, 999_998);
    const next = await world.claimed({ account: first.account });
    expect(await choose(next)).toBe(first.file_no);
    await note(next, first.file_no, 1);
    expect(await choose(next)).toBe(first.file_no);
    await note(next, first.file_no, 1);
    expect(await choose(next)).toBe(next.file_no);
  });

  it('gives a large file a volume of its own', async () => {
    const first = await world.claimed();
    await note(first, first.file_no, 1);
    const large = await world.claimed({ account: first.account, bytes: 8 * 1024 * 1024 });
    expect(await choose(large)).toBe(large.file_no);
    const almost = await world.claimed({ account: first.account, bytes: 8 * 1024 * 1024 - 1 });
    expect(await choose(almost)).toBe(first.file_no);
  });

  it('says the time of the database, and since when the last file is known, however much older it is', async () => {
    const first = await world.claimed({ claimedAt: LATER });
    const clocks = () => transact(world.ledger, (tx) => chooseVolume(tx, first));
    expect(await clocks()).toMatchObject({ databaseNow: new Date(START), lastFrom: null });
    await note(first, first.file_no, 1);
    expect(await clocks()).toMatchObject({ lastFrom: LATER });
    await note({ ...first, claimed_at: LONG_AGO }, first.file_no, 1);
    expect(await clocks()).toMatchObject({ lastFrom: LONG_AGO });
  });

  it('never mixes accounts', async () => {
    const first = await world.claimed();
    await note(first, first.file_no, 1);
    const stranger = await world.claimed();
    expect(await choose(stranger)).toBe(stranger.file_no);
  });
});

describe('findVolumes', () => {
  it('names the volumes of an account whose newest file is young enough', async () => {
    const old = await world.claimed();
    const young = await world.claimed({ account: old.account, claimedAt: LATER });
    await note(old, old.file_no, 1);
    await note(young, young.file_no, 1);
    expect(await volumesOf(old)).toEqual([old.file_no, young.file_no]);
    expect(await volumesOf(old, LATER)).toEqual([young.file_no]);
    await note({ ...young, claimed_at: LATER }, old.file_no, 1);
    expect(await volumesOf(old, LATER)).toHaveLength(2);
    await note(old, old.file_no, 1);
    expect(await volumesOf(old, LATER)).toHaveLength(2);
    expect(await volumesOf(await world.claimed())).toEqual([]);
  });
});
