import { IS_OPEN, NO_BATCH_OPEN } from '../batch/conditions.ts';
import type { OutputKind } from '../../../schemas/lifecycle.ts';
import { queryInOne } from '../engine/query-together.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact, type Transaction } from '../engine/transaction.ts';
import { moveFile } from '../engine/move.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { BatchRow, ReadFileRow } from '../engine/records.ts';
import { READ_FROM } from './read-file.ts';
import { UNWRITTEN_CORRECTIONS } from '../row/change-outcomes.ts';

export type NewOutput = {
  kind: OutputKind;
  number?: number;
  name: string;
  sha256: string;
  bytes: number;
  rows: number;
};

/** What outputs were made of; notices are made of the file alone. */
export type OutputSource = { file: Pick<ReadFileRow, 'file_id' | 'read_from'>; batches?: readonly BatchRow[] };

/**
 * Records outputs that were written and read back, if this ledger has what they were made of. When the server is
 * replaced under a running process, the process may read from one ledger and record in the other. That one would keep
 * to bytes that it can never make again. Recording outputs again after a crash changes nothing.
 * @throws PipelineError OUTPUT_MISMATCH; the outputs are then made again
 */
export async function recordOutput(
  ledger: Ledger,
  source: OutputSource,
  ...outputs: readonly NewOutput[]
): Promise<void> {
  await transact(ledger, (tx) =>
    queryInOne(tx, (asked) => [noteOutputs(asked, source.file.file_id, outputs), mustHave(asked, source)]),
  );
}

async function noteOutputs(tx: Transaction, fileId: string, outputs: readonly NewOutput[]): Promise<void> {
  const { rows: noted } = await tx.client.query<{ kind: OutputKind; number: number }>(
    `INSERT INTO output (file_id, kind, number, name, sha256, bytes, rows, written_at)
     SELECT $1, kind, coalesce(number, 0), name, sha256, bytes, rows, $2
     FROM jsonb_to_recordset($3) AS new (kind text, number integer, name text, sha256 text, bytes bigint, rows integer)
     ON CONFLICT (file_id, kind, number) DO NOTHING RETURNING kind, number`,
    [fileId, tx.at, JSON.stringify(outputs)],
  );
  for (const { kind, number = 0, name, sha256, rows } of outputs) {
    if (!noted.some((output) => output.kind === kind && output.number === number)) continue;
    tx.audit({
      actor: 'worker:deliver',
      fileId,
      move: 'output',
      reason: number === 0 ? `${kind} written` : `${kind} ${number} written`,
      evidence: { name, sha256, rows },
    });
  }
}

/** @throws PipelineError OUTPUT_MISMATCH when this ledger is another, or has other batches */
async function mustHave({ client }: Transaction, { file, batches }: OutputSource): Promise<void> {
  const { rows } = await client.query<BatchRow & { read_from: string }>(
    `SELECT here.read_from, batch_no, state, attempt, result_at
     FROM (SELECT ${READ_FROM}) here LEFT JOIN batch ON file_id = $1 ORDER BY batch_no`,
    [file.file_id],
  );
  const marks = (of: readonly BatchRow[]) =>
    JSON.stringify(of.map(({ batch_no: no, state, attempt, result_at: at }) => [no, state, attempt, at]));
  const isSame = rows[0]!.read_from === file.read_from;
  if (isSame && (!batches || marks(rows.filter(isBatch)) === marks(batches))) return;
  const reason = 'they were made of another ledger';
  throw new PipelineError('OUTPUT_MISMATCH', `record outputs of file "${file.file_id}"`, reason, {
    next: 'They are made again.',
  });
}

/** A file without batches has one row, without a batch. */
function isBatch({ batch_no: no }: { batch_no: number | null }): boolean {
  return no !== null;
}

/**
 * Makes the move `complete`, once every output is on disk and was read back. Without a row to send, it makes `begin`
 * first.
 * @param outputs the last ones, recorded together with the move; those recorded before may be left out
 * @returns false when the file is not in progress or a batch is still open; the outputs are recorded anyway
 */
export async function completeFile(
  ledger: Ledger,
  source: OutputSource,
  evidence: Record<string, unknown>,
  outputs: readonly NewOutput[] = [],
): Promise<boolean> {
  const { file_id: fileId } = source.file;
  return transact(ledger, async (tx) => {
    const actor = 'worker:deliver';
    const because = { actor, reason: 'every row is final and the outputs are read back', evidence };
    // The caller has checked before, but a file must never be closed over a batch that can still be sent.
    const complete = (by: Transaction = tx) => moveFile(by, 'complete', fileId, because, { where: NO_BATCH_OPEN });
    const [, , completed] = await queryInOne(tx, (asked) => [
      outputs.length > 0 && noteOutputs(asked, fileId, outputs),
      outputs.length > 0 && mustHave(asked, source),
      complete(asked),
    ]);
    if (completed) return true;
    const nothingSent = { actor, reason: 'there was nothing to send' };
    if (!(await moveFile(tx, 'begin', fileId, nothingSent, { where: NO_BATCH_OPEN }))) return false;
    return (await complete()) !== undefined;
  });
}

/** A file, and what decides which of its outputs are due. */
export type Delivery = {
  file: ReadFileRow;
  /** Kinds of the outputs that are in the ledger. */
  written: ReadonlySet<OutputKind>;
  batches: number;
  /** Rows of the largest batch; 0 without batches. */
  largestBatch: number;
  /** Batches that still wait for something. */
  openBatches: number;
  /** Numbers of the corrections that are due, lowest first. */
  corrections: readonly number[];
};

/**
 * Uses a single query, because it runs several times for each file, however small. Corrections are only looked for once
 * the result is written: PostgreSQL plans that for longer than it takes to read the rest.
 * @throws PipelineError NOT_FOUND
 */
export async function readDelivery(ledger: Ledger, fileId: string): Promise<Delivery> {
  const { rows } = await ledger.pool.query<
    ReadFileRow & { written: OutputKind[]; batches: number; largest_batch: number; open_batches: number }
  >(
    `SELECT file.*, ${READ_FROM}, s.wrapped_key, s.content_key, s.row_set,
            ARRAY(SELECT kind FROM output WHERE output.file_id = file.file_id) AS written,
            b.batches, b.largest_batch, b.open_batches
     FROM file LEFT JOIN file_secret s USING (file_id) CROSS JOIN LATERAL (
       SELECT count(*) AS batches, coalesce(max(rows), 0) AS largest_batch,
              count(*) FILTER (WHERE ${IS_OPEN}) AS open_batches
       FROM batch WHERE batch.file_id = file.file_id
     ) b
     WHERE file.file_id = $1`,
    [fileId],
  );
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find file "${fileId}"`);
  const { written, batches, largest_batch: largestBatch, open_batches: openBatches, ...file } = rows[0];
  const corrections = written.includes('result') ? await readDueCorrections(ledger, file.file_no) : [];
  return { file, written: new Set(written), corrections, batches, largestBatch, openBatches };
}

/** Returns the numbers of the corrections of a file that are due, lowest first. */
export async function readDueCorrections(ledger: Ledger, fileNo: number): Promise<number[]> {
  const { rows } = await ledger.pool.query<{ correction_no: number }>(
    `SELECT correction_no FROM (${UNWRITTEN_CORRECTIONS}) due WHERE file_no = $1 ORDER BY correction_no`,
    [fileNo],
  );
  return rows.map((row) => row.correction_no);
}
