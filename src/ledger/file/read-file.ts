import type { FaultCode } from '../../../schemas/errors.ts';
import type { FileState } from '../../../schemas/lifecycle.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Fault, OutcomeTotals, SentRow } from '../../rows/rows.ts';
import type { BatchKey } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { Queryable } from '../engine/transaction.ts';
import type { BatchLines, BatchRow, LedgerRow, OutputRow, ReadFileRow } from '../engine/records.ts';
import { type AsOf, type KeptRow, NOW, readKeptRows } from '../row/read-kept-rows.ts';

/** SQL for the ledger that answers, see schemas/ledger/deliver.sql. */
export const READ_FROM = 'ledger_mark() AS read_from';

/** @throws PipelineError NOT_FOUND */
export async function readFileRow(ledger: Ledger, fileId: string): Promise<ReadFileRow> {
  return (await readFileRows(ledger, [fileId]))[0]!;
}

/**
 * Does the same for several files.
 * @returns them in the order of their ids
 */
export async function readFileRows({ pool }: Pick<Ledger, 'pool'>, fileIds: readonly string[]): Promise<ReadFileRow[]> {
  const { rows } = await pool.query<ReadFileRow>(
    `SELECT *, ${READ_FROM} FROM file LEFT JOIN file_secret USING (file_id) WHERE file_id = ANY ($1)`,
    [fileIds],
  );
  return fileIds.map((fileId) => {
    const row = rows.find((one) => one.file_id === fileId);
    if (!row) throw new PipelineError('NOT_FOUND', `find file "${fileId}"`);
    return row;
  });
}

/** Returns those of these files that are in the ledger. */
export async function findKnownFiles(
  client: Pick<Queryable, 'query'>,
  fileIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ file_id: string }>('SELECT file_id FROM file WHERE file_id = ANY ($1)', [
    fileIds,
  ]);
  return new Set(rows.map((row) => row.file_id));
}

/** Returns the state of a file, or undefined when it is not in the ledger. */
export async function readFileState(ledger: Ledger, fileId: string): Promise<FileState | undefined> {
  const { rows } = await ledger.pool.query<{ state: FileState }>('SELECT state FROM file WHERE file_id = $1', [fileId]);
  return rows[0]?.state;
}

export async function readBatchRow(ledger: Ledger, key: BatchKey): Promise<BatchRow> {
  const { rows } = await ledger.pool.query<BatchRow>('SELECT * FROM batch WHERE file_id = $1 AND batch_no = $2', [
    key.fileId,
    key.batchNo,
  ]);
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find batch ${key.batchNo} of file "${key.fileId}"`);
  return rows[0];
}

/** Returns these batches in any order, as far as they exist. */
export async function readBatchRows({ pool }: Ledger, keys: readonly BatchKey[]): Promise<BatchRow[]> {
  const { rows } = await pool.query<BatchRow>(
    'SELECT batch.* FROM unnest($1::text[], $2::integer[]) AS wanted (file_id, batch_no) JOIN batch USING (file_id, batch_no)',
    [keys.map(({ fileId }) => fileId), keys.map(({ batchNo }) => batchNo)],
  );
  return rows;
}

/** Returns the number of the batch that holds a line of a file; null when the line was withheld or is none. */
export async function readBatchNoOf({ pool }: Ledger, fileNo: number, line: number): Promise<number | null> {
  const { rows } = await pool.query<{ batch_no: number | null }>(
    'SELECT batch_no FROM payment_row WHERE file_no = $1 AND line = $2',
    [fileNo, line],
  );
  return rows[0]?.batch_no ?? null;
}

export async function readBatches(ledger: Ledger, fileId: string): Promise<BatchRow[]> {
  return readBatchesOf(ledger, [fileId]);
}

/** Returns the batches of these files, those of each in their order. */
export async function readBatchesOf({ pool }: Ledger, fileIds: readonly string[]): Promise<BatchRow[]> {
  const { rows } = await pool.query<BatchRow>(
    'SELECT * FROM batch WHERE file_id = ANY ($1) ORDER BY file_id, batch_no',
    [fileIds],
  );
  return rows;
}

/** Returns these files as far as none of their batches waits for anything, by site. */
export async function findFilesWithoutOpenBatch(
  ledger: Ledger,
  fileIds: readonly string[],
): Promise<{ site: string; fileIds: string[] }[]> {
  const { rows } = await ledger.pool.query<{ site: string; fileIds: string[] }>(
    `SELECT site, array_agg(file_id ORDER BY file_no) AS "fileIds" FROM file
     WHERE file_id = ANY ($1) AND has_ended(file_id) GROUP BY site`,
    [fileIds],
  );
  return rows;
}

export async function readOutputs(ledger: Ledger, fileId: string): Promise<OutputRow[]> {
  const { rows } = await ledger.pool.query<OutputRow>(
    'SELECT * FROM output WHERE file_id = $1 ORDER BY written_at, kind, number',
    [fileId],
  );
  return rows;
}

/** Returns why a user stopped a file, in their words; empty if no user did. */
export async function readStopReason(ledger: Ledger, fileId: string): Promise<string> {
  const { rows } = await ledger.pool.query<{ reason: string }>(
    `SELECT reason FROM audit WHERE file_id = $1 AND batch_no IS NULL AND to_state IN ('cancelled', 'partly_cancelled')
     ORDER BY seq DESC LIMIT 1`,
    [fileId],
  );
  return rows[0]?.reason ?? '';
}

/** Returns the rows of one batch in sending order. */
export async function readSentRows(ledger: Ledger, fileNo: number, batch: BatchLines): Promise<SentRow[]> {
  const { rows } = await ledger.pool.query<SentRow>(
    `SELECT line, invoice, customer_code AS "customerCode", amount_cents AS "amountCents", last_four AS "lastFour"
     FROM payment_row WHERE file_no = $1 AND line BETWEEN $2 AND $3 AND batch_no = $4 ORDER BY line`,
    [fileNo, batch.first_line, batch.last_line, batch.batch_no],
  );
  return rows;
}

/** Lines read at a time: few enough to sort, many enough to skip over blank ones. */
const RANGE_ROWS = 2_000;

/**
 * Reads all rows of a file in input order with their outcomes, page by page: a file may have a million. Selects by line
 * bounds, for the reason given in `readKeptRows`.
 * @param options.after line after which to begin
 */
export async function* readRows(
  ledger: Ledger,
  fileNo: number,
  { pageRows = RANGE_ROWS, after = 0, ...asOf }: AsOf & { pageRows?: number; after?: number } = {},
): AsyncGenerator<LedgerRow[]> {
  const last = await readLast(ledger, 'SELECT max(line) AS last FROM payment_row WHERE file_no = $1', fileNo);
  let page: LedgerRow[] = [];
  for (let seen = after; seen < last; ) {
    const wanted = pageRows - page.length;
    const to = seen + Math.max(wanted, RANGE_ROWS);
    const { rows } = await ledger.pool.query<Omit<LedgerRow, keyof KeptRow> & { line: number }>(
      `SELECT line, invoice, customer_code, last_four
       FROM payment_row WHERE file_no = $1 AND line BETWEEN $2 AND $3 ORDER BY line LIMIT $4`,
      [fileNo, seen + 1, to, wanted],
    );
    seen = rows.length < wanted ? to : rows.at(-1)!.line;
    if (rows.length === 0) continue;
    const kept = await readKeptRows(ledger, fileNo, { from: rows[0]!.line, to: rows.at(-1)!.line }, asOf);
    page.push(...rows.map((row, place) => ({ ...row, ...kept[place]! })));
    if (page.length < pageRows) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Faults of a file that are read at a time. */
const PAGE_FAULTS = 4_000;

/**
 * Reads the faults and warnings of a file in the order found, page by page.
 * @param options.codes the codes to read; all if left out
 * @param options.first the first page, if it was read before
 */
export async function* readFaults(
  ledger: Ledger,
  fileNo: number,
  {
    pageRows = PAGE_FAULTS,
    codes,
    first,
  }: { pageRows?: number; codes?: readonly FaultCode[]; first?: readonly Fault[] | undefined } = {},
): AsyncGenerator<Fault[]> {
  let last: number | undefined;
  const isWanted = ({ code }: Fault) => !codes || codes.includes(code);
  for (let seen = 0; seen < (last ?? 1); seen += pageRows) {
    const page =
      seen === 0 && first ? first : ((await readFaultPages(ledger, [fileNo], { seen, pageRows })).get(fileNo) ?? []);
    const wanted = page.filter(isWanted);
    if (wanted.length > 0) yield wanted;
    // Their numbers have no gaps, so a page that is not full is the last; nearly all files have just one.
    if (page.length < pageRows) return;
    last ??= await readLast(ledger, 'SELECT max(seq) AS last FROM row_fault WHERE file_no = $1', fileNo);
  }
}

/** Reads a page of the faults of each of these files, the first by default. A file without any is left out. */
export async function readFaultPages(
  { pool }: Ledger,
  fileNos: readonly number[],
  { seen = 0, pageRows = PAGE_FAULTS }: { seen?: number; pageRows?: number } = {},
): Promise<Map<number, Fault[]>> {
  const { rows } = await pool.query<FaultColumns & { file_no: number }>(
    `SELECT file_no, line, column_name, code, detail, value FROM row_fault
     WHERE file_no = ANY ($1) AND seq BETWEEN $2 AND $3 ORDER BY file_no, seq`,
    [fileNos, seen + 1, seen + pageRows],
  );
  const pages = new Map<number, Fault[]>();
  for (const row of rows) {
    const page = pages.get(row.file_no) ?? [];
    pages.set(row.file_no, page);
    page.push(toFault(row));
  }
  return pages;
}

type FaultColumns = Record<'column_name' | 'code' | 'detail' | 'value', string | null> & { line: number };

function toFault(row: FaultColumns): Fault {
  return {
    line: row.line,
    code: row.code,
    ...(row.column_name === null ? {} : { column: row.column_name }),
    ...(row.detail === null ? {} : { detail: row.detail }),
    ...(row.value === null ? {} : { value: row.value }),
  } as Fault;
}

async function readLast(ledger: Ledger, text: string, fileNo: number): Promise<number> {
  const { rows } = await ledger.pool.query<{ last: number | null }>(text, [fileNo]);
  return rows[0]?.last ?? 0;
}

/** Returns rows and money per outcome; see outcome_totals in schemas/ledger/result.sql. */
export async function readOutcomeTotals(ledger: Ledger, fileNo: number, asOf: AsOf = {}): Promise<OutcomeTotals> {
  return (await readOutcomeTotalsOf(ledger, [fileNo], asOf)).get(fileNo) ?? {};
}

/** Does the same for several files, by their numbers. A file without rows is left out. */
export async function readOutcomeTotalsOf(
  { pool }: Ledger,
  fileNos: readonly number[],
  { correctionNo = NOW }: AsOf = {},
): Promise<Map<number, OutcomeTotals>> {
  const { rows } = await pool.query<{ file_no: number; outcome: keyof OutcomeTotals; rows: number; cents: number }>(
    'SELECT * FROM outcome_totals($1, $2)',
    [fileNos, correctionNo],
  );
  const totals = new Map<number, OutcomeTotals>();
  for (const { file_no: fileNo, outcome, ...sum } of rows)
    totals.set(fileNo, { ...totals.get(fileNo), [outcome]: sum });
  return totals;
}

/** Returns one output of a file, as recorded when it was read back; undefined when there is none. */
export async function readOutput(
  ledger: Ledger,
  fileId: string,
  { kind, number = 0 }: { kind: string; number?: number },
): Promise<OutputRow | undefined> {
  const { rows } = await ledger.pool.query<OutputRow>(
    'SELECT * FROM output WHERE file_id = $1 AND kind = $2 AND number = $3',
    [fileId, kind, number],
  );
  return rows[0];
}
