import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NewBatch, type NewRow, writeBatch, writeBody, writeRow } from '../../../src/ledger/copy/row-tuples.ts';
import { TupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';
import { appendAudit, type Queryable, type Transaction } from '../../../src/ledger/engine/transaction.ts';
import { copyTuples } from '../../../src/ledger/row/copy-rows.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { type Recalled, recallForgotten } from '../../../src/ledger/doubt/recall-batch.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import type { JournalEntry } from '../../../src/ledger/admission/send-journal.ts';
import { type LedgerWorld, START } from '../../support/ledger-world.ts';
import { seeSchedule } from '../../../src/ledger/schedule/begin-run.ts';
import { readRun } from '../../../src/ledger/schedule/read-runs.ts';
import type { RunRow } from '../../../src/ledger/engine/records.ts';

/** Writes some rows of a file, as its intake does. */
export async function copyRows(tx: Transaction, fileNo: number, rows: readonly NewRow[]): Promise<void> {
  const tuples = new TupleWriter();
  for (const row of rows) writeRow(tuples, fileNo, row);
  await copyTuples(tx, 'rows', tuples.take());
}

/** Writes one batch. */
export async function cutBatch(tx: Transaction, batch: NewBatch): Promise<void> {
  const [batches, bodies] = [new TupleWriter(), new TupleWriter()];
  writeBatch(batches, tx.at, batch);
  writeBody(bodies, batch);
  await copyTuples(tx, 'batches', batches.take());
  await copyTuples(tx, 'bodies', bodies.take());
}

/** Compares the ledger with a journal of these entries. By default an entry's file is unknown to the ledger. */
export async function forget(ledger: Ledger, ...entries: Partial<JournalEntry>[]): Promise<Recalled[]> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-forgotten-'));
  try {
    const path = join(folder, 'sends.jsonl');
    for (const entry of entries) await appendFile(path, `\n${JSON.stringify(journalEntry(entry))}`);
    return await recallForgotten(ledger, path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function journalEntry(entry: Partial<JournalEntry>): JournalEntry {
  return {
    at: START,
    account: 'main',
    fileId: newFileId(),
    batchNo: 1,
    attempt: 1,
    sha256: randomBytes(32).toString('hex'),
    ...entry,
  };
}

export const DAY = '2026-06-15';
export const DUE = { day: DAY, at: new Date('2026-06-15T09:00:00.000Z') };
export const BECAUSE = { actor: 'worker:schedule', reason: 'its time has come' };

let made = 0;

/** Makes a schedule that no other test uses. */
export async function freshSchedule(world: LedgerWorld): Promise<string> {
  made += 1;
  const name = `nightly-${made}`;
  await seeSchedule(world.ledger, name, 'at night', 0);
  return name;
}

export async function runOf(world: LedgerWorld, schedule: string): Promise<RunRow> {
  return (await readRun(world.ledger, schedule, DAY))!;
}

/** Returns a schedule's moves in the audit trail, in order. */
export async function movesOfSchedule(world: Pick<LedgerWorld, 'ledger'>, schedule: string): Promise<string[]> {
  const { rows } = await world.ledger.pool.query<{ move: string }>(
    `SELECT move FROM audit WHERE evidence->>'schedule' = $1 ORDER BY seq`,
    [schedule],
  );
  return rows.map((row) => row.move);
}

/**
 * Appends a link of a move in a transaction that stays open, and then one of another account, which has a larger number.
 * @returns commits the first
 */
export async function appendLate({ pool, clock }: Ledger, move: string): Promise<() => Promise<void>> {
  const append = (to: Queryable, account: string) =>
    to.query(
      appendAudit(clock.now(), [{ actor: 'worker:x', move, reason: '', evidence: { account } }], 'now()').join(),
    );
  const client = await pool.connect();
  await client.query('BEGIN');
  await append(client, 'slow');
  await append(pool, 'fast');
  return async () => {
    await client.query('COMMIT');
    client.release();
  };
}
