import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyOutcomes, copyRows } from '../../../src/ledger/row/copy-rows.ts';
import { noteVolume } from '../../../src/ledger/duplicates/fingerprint-volumes.ts';
import { findChargedRows, type MarkedRow } from '../../../src/ledger/duplicates/find-charged-rows.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger, putPrints, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const LONG_AGO = new Date(0);
const ROW = { invoice: 'INV', customerCode: 'A1', amountCents: 2_500, lastFour: '' };
const printOf = (fileNo: number, line: number) => BigInt(1_000 * fileNo + line);

/** Makes a file with rows on lines 2 and 3, in a batch that may be sent. */
async function earlierFile(): Promise<FileRow> {
  const file = await world.claimed();
  const rows = [2, 3].map((line) => ({
    ...ROW,
    line,
    batchNo: 1,
    print: printOf(file.file_no, line),
  }));
  await transact(world.ledger, async (tx) => {
    await copyRows(tx, file.file_no, rows);
    await putPrints(tx, file, file.file_no, rows);
    await noteVolume(tx, file, { volume: file.file_no, rows: rows.length, agedFrom: file.claimed_at });
  });
  const batch = `INSERT INTO batch (file_id, batch_no, account, operation, state, state_at, rows, cents, body_sha256, first_line, last_line)
                 VALUES ($1, 1, $2, 'ach-charge', 'ready', $3, 2, 5000, 'x', 2, 3)`;
  await world.ledger.pool.query(batch, [file.file_id, file.account, new Date(START)]);
  return file;
}

/** Asks about lines 11 to 13 of an unrecorded file. The first two repeat those of `file`. */
function ask(file: FileRow, since = LONG_AGO, changes: Partial<MarkedRow> = {}) {
  const marked = [2, 3, 4].map((line) => ({ ...ROW, line: line + 9, print: printOf(file.file_no, line), ...changes }));
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
