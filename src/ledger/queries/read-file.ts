import type { FileState } from '../../../schemas/lifecycle.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Fault, OutcomeTotals, SentRow } from '../../kernel/rows.ts';
import type { BatchKey } from '../moves/move.ts';
import type { Ledger } from '../open-ledger.ts';
import type { BatchRow, FileRow, LedgerRow, OutputRow } from '../records.ts';

/** @throws PipelineError NOT_FOUND */
export async function readFileRow(ledger: Ledger, fileId: string): Promise<FileRow> {
  const { rows } = await ledger.pool.query<FileRow>('SELECT * FROM file WHERE file_id = $1', [fileId]);
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find file "${fileId}"`);
  return rows[0];
}

/** The state of a file, or undefined when the ledger does not know it. */
export async function readFileState(ledger: Ledger, fileId: string): Promise<FileState | undefined> {
  const { rows } = await ledger.pool.query<{ state: FileState }>('SELECT state FROM file WHERE file_id = $1', [fileId]);
  return rows[0]?.state;
}

/** Where the file was claimed, or undefined when the ledger does not know it. */
export async function readFileSite(ledger: Ledger, fileId: string): Promise<string | undefined> {
  const { rows } = await ledger.pool.query<{ site: string }>('SELECT site FROM file WHERE file_id = $1', [fileId]);
  return rows[0]?.site;
}

export async function readBatchRow(ledger: Ledger, key: BatchKey): Promise<BatchRow> {
  const { rows } = await ledger.pool.query<BatchRow>('SELECT * FROM batch WHERE file_id = $1 AND batch_no = $2', [
    key.fileId,
    key.batchNo,
  ]);
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find batch ${key.batchNo} of file "${key.fileId}"`);
  return rows[0];
}

export async function readBatches(ledger: Ledger, fileId: string): Promise<BatchRow[]> {
  const { rows } = await ledger.pool.query<BatchRow>('SELECT * FROM batch WHERE file_id = $1 ORDER BY batch_no', [
    fileId,
  ]);
  return rows;
}

/** Whether a batch of the file still waits for something. */
export async function hasOpenBatches(ledger: Ledger, fileId: string): Promise<boolean> {
  const { rowCount } = await ledger.pool.query(
    `SELECT 1 FROM batch WHERE file_id = $1 AND state NOT IN ('reconciled', 'cancelled') LIMIT 1`,
    [fileId],
  );
  return rowCount === 1;
}

export async function readOutputs(ledger: Ledger, fileId: string): Promise<OutputRow[]> {
  const { rows } = await ledger.pool.query<OutputRow>(
    'SELECT * FROM output WHERE file_id = $1 ORDER BY written_at, kind, number',
    [fileId],
  );
  return rows;
}

/** Why a person stopped a file, in their words; empty when nobody did. */
export async function readStopReason(ledger: Ledger, fileId: string): Promise<string> {
  const { rows } = await ledger.pool.query<{ reason: string }>(
    `SELECT reason FROM audit WHERE file_id = $1 AND batch_no IS NULL AND to_state IN ('cancelled', 'partly_cancelled')
     ORDER BY seq DESC LIMIT 1`,
    [fileId],
  );
  return rows[0]?.reason ?? '';
}

/** What is kept sealed of a batch: the bytes sent, the result, and later results that were otherwise. */
export type SealedPart = 'body' | 'result' | `recheck-${number}`;

/** Sealed bytes of a batch. */
export async function readSealedPart(ledger: Ledger, key: BatchKey, part: SealedPart): Promise<Buffer> {
  const { rows } = await ledger.pool.query<{ bytes: Buffer }>(
    'SELECT bytes FROM sealed_part WHERE file_id = $1 AND batch_no = $2 AND part = $3',
    [key.fileId, key.batchNo, part],
  );
  if (!rows[0])
    throw new PipelineError('NOT_FOUND', `find the ${part} of batch ${key.batchNo} of file "${key.fileId}"`);
  return rows[0].bytes;
}

/** The rows of one batch in the order in which they are sent. */
export async function readSentRows(ledger: Ledger, fileNo: number, batchNo: number): Promise<SentRow[]> {
  const { rows } = await ledger.pool.query<SentRow>(
    `SELECT line, invoice, customer_code AS "customerCode", amount_cents AS "amountCents", last_four AS "lastFour"
     FROM payment_row WHERE file_no = $1 AND batch_no = $2 ORDER BY line`,
    [fileNo, batchNo],
  );
  return rows;
}

/** As of which correction outcomes are read: 0 as they were first, left out as they are now. */
export type AsOf = { correctionNo?: number };

/** Larger than the number of any correction. */
const NOW = 2_147_483_647;

/**
 * All rows of a file in input order with their outcomes, page by page: a file may have a million.
 * @param options.after line behind which to begin
 */
export async function* readRows(
  ledger: Ledger,
  fileNo: number,
  { correctionNo = NOW, pageRows = 2_000, ...options }: AsOf & { pageRows?: number; after?: number } = {},
): AsyncGenerator<LedgerRow[]> {
  let after = options.after ?? 0;
  for (;;) {
    const { rows } = await ledger.pool.query<Omit<LedgerRow, keyof RowOutcome>>(
      `SELECT line, batch_no, invoice, customer_code, amount_cents, last_four
       FROM payment_row WHERE file_no = $1 AND line > $2 ORDER BY line LIMIT $3`,
      [fileNo, after, pageRows],
    );
    if (rows.length === 0) return;
    const last = rows.at(-1)!.line;
    const outcomes = await readOutcomes(ledger, fileNo, [rows[0]!.line, last], correctionNo);
    yield rows.map((row) => ({ ...row, ...(outcomes.get(row.line) ?? NO_OUTCOME) }));
    after = last;
  }
}

type RowOutcome = Pick<LedgerRow, 'outcome' | 'code' | 'message' | 'authorization'>;

const NO_OUTCOME: RowOutcome = { outcome: null, code: null, message: null, authorization: null };

/**
 * Outcomes of the lines from one to another. Asked for by these bounds and not joined to the page, because the planner
 * would join all outcomes of the file to each page, and a large file would take hours.
 */
async function readOutcomes(
  ledger: Ledger,
  fileNo: number,
  [first, last]: readonly [number, number],
  correctionNo: number,
): Promise<Map<number, RowOutcome>> {
  const { rows } = await ledger.pool.query<RowOutcome & { line: number }>(
    `SELECT o.line, coalesce(c.outcome, o.outcome) AS outcome, CASE WHEN c.line IS NULL THEN o.code ELSE c.code END AS code,
            coalesce(c.message, o.message) AS message, coalesce(c."authorization", o."authorization") AS "authorization"
     FROM row_outcome o
     LEFT JOIN (SELECT DISTINCT ON (line) line, outcome, code, message, "authorization" FROM row_change
                WHERE file_no = $1 AND line BETWEEN $2 AND $3 AND correction_no <= $4
                ORDER BY line, correction_no DESC) c ON c.line = o.line
     WHERE o.file_no = $1 AND o.line BETWEEN $2 AND $3`,
    [fileNo, first, last, correctionNo],
  );
  return new Map(rows.map(({ line, ...outcome }) => [line, outcome]));
}

/** Faults and warnings of a file in the order in which they were found, page by page. */
export async function* readFaults(ledger: Ledger, fileNo: number, pageRows = 2_000): AsyncGenerator<Fault[]> {
  let after = 0;
  for (;;) {
    const { rows } = await ledger.pool.query<
      Record<'column_name' | 'code' | 'detail' | 'value', string | null> & { seq: number; line: number }
    >(
      'SELECT seq, line, column_name, code, detail, value FROM row_fault WHERE file_no = $1 AND seq > $2 ORDER BY seq LIMIT $3',
      [fileNo, after, pageRows],
    );
    if (rows.length === 0) return;
    yield rows.map(
      (row) =>
        ({
          line: row.line,
          code: row.code,
          ...(row.column_name === null ? {} : { column: row.column_name }),
          ...(row.detail === null ? {} : { detail: row.detail }),
          ...(row.value === null ? {} : { value: row.value }),
        }) as Fault,
    );
    after = rows.at(-1)!.seq;
  }
}

/** Rows and money per outcome; a row without one is `invalid` when it was withheld, else `not_sent`. */
export async function readOutcomeTotals(
  ledger: Ledger,
  fileNo: number,
  { correctionNo = NOW }: AsOf = {},
): Promise<OutcomeTotals> {
  const { rows } = await ledger.pool.query<{ outcome: keyof OutcomeTotals; rows: number; cents: number }>(
    `SELECT coalesce(c.outcome, o.outcome, CASE WHEN r.batch_no IS NULL THEN 'invalid' ELSE 'not_sent' END) AS outcome,
            count(*) AS rows, coalesce(sum(r.amount_cents), 0)::bigint AS cents
     FROM payment_row r LEFT JOIN row_outcome o USING (file_no, line)
     LEFT JOIN (SELECT DISTINCT ON (line) line, outcome FROM row_change
                WHERE file_no = $1 AND correction_no <= $2 ORDER BY line, correction_no DESC) c ON c.line = r.line
     WHERE r.file_no = $1 GROUP BY 1`,
    [fileNo, correctionNo],
  );
  return Object.fromEntries(rows.map((row) => [row.outcome, { rows: row.rows, cents: row.cents }]));
}
