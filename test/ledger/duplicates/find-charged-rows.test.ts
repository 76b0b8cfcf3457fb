import { ask as askLedger } from '../../../src/ledger/engine/ask.ts';
import { describe, expect, it } from 'vitest';
import { copyOutcomes } from '../../../src/ledger/row/copy-rows.ts';
import { copyRows, forget } from '../support/put-rows.ts';
import { chooseVolumes, findVolumes, noteVolumes } from '../../../src/ledger/duplicates/fingerprint-volumes.ts';
import { findChargedRows, type MarkedRow, readSlowerNow } from '../../../src/ledger/duplicates/find-charged-rows.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { openTestLedger, putFingerprints, START } from '../../support/ledger-world.ts';
import { describeSentBefore } from '../../../src/ledger/duplicates/find-duplicate.ts';
import { readBatches } from '../../../src/ledger/file/read-file.ts';
import { CERTAINLY_NOT_CHARGED, hasCome, mayBeCharged } from '../../../src/ledger/batch/conditions.ts';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const LONG_AGO = new Date(0);
const ROW = { invoice: 'INV', customerCode: 'A1', amountCents: 2_500, lastFour: '' };
const printOf = (fileNo: number, line: number) => BigInt(1_000 * fileNo + line);

/** Makes a file with rows on lines 2 and 3, in a batch that may be sent. */
async function earlierFile(): Promise<FileRow> {
  const file = await world.claimed();
  const rows = [2, 3].map((line) => ({ ...ROW, line, batchNo: 1, fingerprint: printOf(file.file_no, line) }));
  await transact(world.ledger, async (tx) => {
    await copyRows(tx, file.file_no, rows);
    await putFingerprints(tx, file, file.file_no, rows);
    await noteVolumes(tx, [{ file, volume: file.file_no, rows: rows.length, agedFrom: file.claimed_at }]);
  });
  const batch = `INSERT INTO batch (file_id, batch_no, account, operation, state, state_at, rows, cents, body_sha256, first_line, last_line)
                 VALUES ($1, 1, $2, 'ach-charge', 'ready', $3, 2, 5000, 'x', 2, 3)`;
  await world.ledger.pool.query(batch, [file.file_id, file.account, new Date(START)]);
  return file;
}

/** Asks about lines 11 to 13 of an unrecorded file. The first two repeat those of `file`. */
function ask(file: FileRow, since = LONG_AGO, changes: Partial<MarkedRow> = {}) {
  const marked = [2, 3, 4].map((line) => ({
    ...ROW,
    line: line + 9,
    fingerprint: printOf(file.file_no, line),
    ...changes,
  }));
  return findChargedRows(world.ledger, file, marked, since);
}

describe('findChargedRows', () => {
  it('names file and line of every row that is there, and keeps silent of the others', async () => {
    const file = await earlierFile();
    expect(await ask(file)).toEqual([
      { line: 11, code: 'CHARGED_BEFORE', detail: `line 2 of file ${file.file_id}` },
      { line: 12, code: 'CHARGED_BEFORE', detail: `line 3 of file ${file.file_id}` },
    ]);
    expect(await findChargedRows(world.ledger, file, [], LONG_AGO)).toEqual([]);
  });

  it('says of a row that is only written in another way that it is like the other', async () => {
    const file = await earlierFile();
    expect((await ask(file, LONG_AGO, { invoice: 'inv-0' })).map(({ code }) => code)).toEqual([
      'LIKE_CHARGED',
      'LIKE_CHARGED',
    ]);
    expect(await ask(file, LONG_AGO, { amountCents: 1 })).toEqual([]);
  });

  it('does not count rows that were certainly not charged, and old ones', async () => {
    const file = await earlierFile();
    const outcome = { line: 2, outcome: 'declined', code: 15, message: 'x', authorization: '' } as const;
    await transact(world.ledger, (tx) => copyOutcomes(tx, file.file_no, [outcome]));
    expect((await ask(file)).map(({ line }) => line)).toEqual([12]);
    expect(await ask(file, new Date(Date.parse(START) + 86_400_000))).toEqual([]);
  });

  it('counts rows that reports of the service lacked, which may have been booked since', async () => {
    const file = await earlierFile();
    const outcome = { line: 2, outcome: 'not_charged', code: null, message: 'x', authorization: '' } as const;
    await transact(world.ledger, (tx) => copyOutcomes(tx, file.file_no, [outcome]));
    expect(await ask(file)).toMatchObject([
      { detail: `line 2 of file ${file.file_id}, which reports of the service lacked` },
      { detail: `line 3 of file ${file.file_id}` },
    ]);
  });

  it('does not count rows of a batch that was cancelled', async () => {
    const file = await earlierFile();
    const client = await world.ledger.pool.connect();
    await client.query('SET session_replication_role = replica');
    await client.query(`UPDATE batch SET state = 'cancelled' WHERE file_id = $1`, [file.file_id]);
    await client.query('RESET session_replication_role');
    client.release();
    expect(await ask(file)).toEqual([]);
  });
});

describe('describeSentBefore', () => {
  const ask = (fileId: string) =>
    askLedger(world.ledger.pool, describeSentBefore([{ file: { file_id: fileId, account: '' }, rowSet: null }])).then(
      ([found]) => found[0],
    );

  it('says nothing of a file whose bytes nobody knows, or another account does', async () => {
    const file = await world.accepted();
    const [batch] = await readBatches(world.ledger, file.file_id);
    expect(await ask(file.file_id)).toBeUndefined();
    await forget(world.ledger, { account: 'elsewhere', sha256: batch!.body_sha256 });
    expect(await ask(file.file_id)).toBeUndefined();
  });

  it('names the first batch that was sent before, when and from which file, and counts the others', async () => {
    const file = await world.accepted({ batches: 3 });
    const [, second, third] = await readBatches(world.ledger, file.file_id);
    const call = { account: file.account, fileId: 'aaaaaaaaaaaaaaaa' };
    await forget(world.ledger, { ...call, sha256: second!.body_sha256, at: '2026-06-01T08:00:00.000Z' });
    const said = 'batch 2 was sent at 2026-06-01T08:00:00.000Z from file aaaaaaaaaaaaaaaa';
    expect(await ask(file.file_id)).toBe(said);
    await forget(world.ledger, { ...call, batchNo: 9, sha256: third!.body_sha256 });
    expect(await ask(file.file_id)).toBe(`${said}, and 1 more`);
  });
});

const LATER = new Date(Date.parse(START) + 86_400_000);
const choose = async (file: FileRow) =>
  (await askLedger(world.ledger.pool, chooseVolumes(world.ledger.databaseNow(), [file])).then(([found]) => found))[0]!
    .volume;

const note = (file: FileRow, volume: number, rows: number) =>
  transact(world.ledger, (tx) => noteVolumes(tx, [{ file, volume, rows, agedFrom: file.claimed_at }]));

const volumesOf = ({ account }: FileRow, since = LONG_AGO) => findVolumes(world.ledger.pool, account, since);

describe('chooseVolumes', () => {
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
    const clocks = () =>
      askLedger(world.ledger.pool, chooseVolumes(world.ledger.databaseNow(), [first]))
        .then(([found]) => found)
        .then(([chosen]) => chosen);
    expect(await clocks()).toMatchObject({ databaseNow: new Date(START), lastFrom: null });
    await note(first, first.file_no, 1);
    expect(await clocks()).toMatchObject({ lastFrom: LATER });
    await note({ ...first, claimed_at: LONG_AGO }, first.file_no, 1);
    expect(await clocks()).toMatchObject({ lastFrom: LONG_AGO });
  });

  it('gives files that are decided together the volume that the first of them begins', async () => {
    const [first, stranger] = [await world.claimed(), await world.claimed()];
    const { account } = first;
    const large = await world.claimed({ account, bytes: 8 * 1024 * 1024 });
    const files = [first, stranger, large, await world.claimed({ account })];
    const chosen = await askLedger(world.ledger.pool, chooseVolumes(world.ledger.databaseNow(), files)).then(
      ([found]) => found,
    );
    expect(chosen.map(({ volume }) => volume)).toEqual([first, stranger, large, first].map((file) => file.file_no));
    const added = files.map((file, place) => ({ ...chosen[place]!, file, rows: 10, agedFrom: file.claimed_at }));
    await transact(world.ledger, (tx) => noteVolumes(tx, [...added, { ...added[0]!, rows: 5, agedFrom: LATER }]));
    const { rows } = await world.ledger.pool.query(
      'SELECT volume, rows, last_from FROM fingerprint_volume WHERE volume = ANY ($1) ORDER BY volume',
      [[first.file_no, stranger.file_no]],
    );
    expect(rows).toEqual([
      { volume: first.file_no, rows: 25, last_from: LATER },
      { volume: stranger.file_no, rows: 10, last_from: stranger.claimed_at },
    ]);
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

describe('hasCome', () => {
  it.each([
    [-1, true],
    [0, true],
    [1, false],
    [60_000, false],
    [60_001, true],
    [400 * 86_400_000, true],
  ])('of a moment that is %i ms away, where no wait is longer than a minute, says %s', async (awayMs, come) => {
    const at = new Date(Date.parse(START) + awayMs);
    const { rows } = await world.ledger.pool.query(
      `SELECT ${hasCome('at', '$2', 60_000)} AS come FROM (SELECT $1::timestamptz AS at) m`,
      [at, START],
    );
    expect(rows).toEqual([{ come }]);
  });
});

describe('may be charged', () => {
  async function ask({ file_id: fileId }: FileRow): Promise<boolean> {
    const { rows } = await world.ledger.pool.query<{ may: boolean }>(
      `SELECT ${mayBeCharged('$2')} AS may FROM file WHERE file_id = $1`,
      [fileId, CERTAINLY_NOT_CHARGED],
    );
    return rows[0]!.may;
  }

  async function reconciled(outcome: 'approved' | 'declined' | 'unknown'): Promise<FileRow> {
    const file = await world.accepted();
    await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'reconciled');
    const rows = [
      { line: 2, outcome: 'declined' as const, code: 2, message: 'x', authorization: '' },
      { line: 3, outcome, code: null, message: 'x', authorization: '' },
    ];
    await transact(world.ledger, (tx) => copyOutcomes(tx, file.file_no, rows));
    return file;
  }

  it('CERTAINLY_NOT_CHARGED has the outcomes after which a row may be sent again', () => {
    expect(CERTAINLY_NOT_CHARGED.toSorted()).toEqual([
      'declined',
      'format_error',
      'invalid',
      'not_charged',
      'not_sent',
    ]);
  });

  describe('mayBeCharged', () => {
    it.each(Object.keys(BATCH_STATES) as BatchState[])('answers for a batch that is %s', async (state) => {
      const file = await world.accepted();
      await world.putBatch({ fileId: file.file_id, batchNo: 1 }, state);
      expect(await ask(file)).toBe(state !== 'cancelled' && state !== 'reconciled');
    });

    it('is no for a refused file, which has no batch', async () => {
      expect(await ask(await world.rejected())).toBe(false);
    });

    it('is yes for a held one, which may yet be approved', async () => {
      expect(await ask(await world.held())).toBe(true);
    });

    it.each([
      ['approved', true],
      ['unknown', true],
      ['declined', false],
    ] as const)('goes by the outcomes when all is done: one row is %s', async (outcome, may) => {
      expect(await ask(await reconciled(outcome))).toBe(may);
    });

    it('is yes once a declined row turned out charged', async () => {
      const file = await reconciled('declined');
      await world.ledger.pool.query(
        `INSERT INTO row_change (file_no, line, correction_no, outcome, message, "authorization", at, source)
       VALUES ($1, 3, 1, 'approved', 'OK', '', $2, 'asked again')`,
        [file.file_no, new Date(START)],
      );
      expect(await ask(file)).toBe(true);
    });
  });
});

describe('readSlowerNow', () => {
  it.each([
    [0, START],
    [1_000, START],
    [-1_000, '2026-06-15T09:59:59.000Z'],
  ])('with the clock of the database wrong by %i ms is %s', async (wrongBy, now) => {
    world.wrongBy.database = wrongBy;
    const { ledger } = world;
    expect(await readSlowerNow(ledger.pool, ledger.clock.now(), ledger.databaseNow())).toEqual(new Date(now));
  });
});
