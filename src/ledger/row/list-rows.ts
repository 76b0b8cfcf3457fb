import { type BatchState, FINAL_BATCH_STATES, type Outcome } from '../../../schemas/lifecycle.ts';
import { inListOrder, type LedgerReader, type ListPage, pageSql } from '../engine/list-page.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow, LedgerRow } from '../engine/records.ts';

/** Which rows of a file to list; a field left out matches any. */
export type RowFilter = {
  /** `open` are rows of batches that have not ended; they have no outcome yet. */
  outcome?: Outcome | 'open' | undefined;
  invoice?: string | undefined;
  batch?: number | undefined;
  /** Only rows from this line on. */
  from?: number | undefined;
};

/** A filter, and how many rows are looked for. */
type RowSearch = RowFilter & { readonly from: number; readonly limit: number };

/**
 * A row with the state of its batch, which tells what became of a row without an outcome. A withheld row, or one of a
 * rejected file, has none.
 */
export type ListedRow = LedgerRow & { batch_state: BatchState | null };

/** A row as it stands in its file. */
export type PlainRow = Pick<LedgerRow, 'line' | 'invoice' | 'customer_code' | 'amount_cents' | 'last_four'> & {
  file_id: string;
  name: string;
};

/** Returns single rows of files, in no order; those that the ledger does not have are left out. */
export async function readRowsAt(
  { pool }: Ledger,
  places: readonly { readonly fileId: string; readonly line: number }[],
): Promise<PlainRow[]> {
  const { rows } = await pool.query<PlainRow>(
    `SELECT f.file_id, f.name, r.line, r.invoice, r.customer_code, r.amount_cents, r.last_four
     FROM unnest($1::text[], $2::integer[]) AS asked (file_id, line)
       JOIN file f ON f.file_id = asked.file_id
       CROSS JOIN LATERAL (SELECT * FROM payment_row r WHERE r.file_no = f.file_no AND r.line = asked.line OFFSET 0) r`,
    [places.map(({ fileId }) => fileId), places.map(({ line }) => line)],
  );
  return rows;
}

/** What the rows of a file can be sorted by. */
const ROW_ORDERS = { line: 'r.line', amount: 'coalesce(r.amount_cents, 0)' } as const;

export type RowOrder = keyof typeof ROW_ORDERS;

/** Most rows of a file that are sorted. An index by amount would slow the intake of every file. */
export const MOST_SORTED = 50_000;

/** No file has so many lines, and a larger number is none that the ledger can compare with one. */
const LAST_LINE = 2_000_000_000;

/** Returns whether the rows of a file can be sorted, and paged back; those of a larger one have the order of their lines. */
export function canSortRows({ records }: Pick<FileRow, 'records'>): boolean {
  return (records ?? 0) <= MOST_SORTED;
}

/** Returns a page of the rows of a file, with their current outcomes; by default in line order. */
export async function listRows(
  ledger: LedgerReader,
  file: FileRow,
  filter: RowFilter,
  page: ListPage<RowOrder>,
): Promise<ListedRow[]> {
  const { order = 'line', isDescending = false, before, after = 0, limit } = page;
  const isForward = order === 'line' && !isDescending && before === undefined;
  if (!isForward && canSortRows(file)) return listSorted(ledger, file, filter, page);
  const from = Math.max(Math.min(after, LAST_LINE) + 1, filter.from ?? 0);
  return findRows(ledger, file, { ...filter, from, limit });
}

async function findRows(ledger: LedgerReader, file: FileRow, filter: RowSearch): Promise<ListedRow[]> {
  const { outcome, limit } = filter;
  const found: ListedRow[] = [];
  for await (const lines of candidatesOf(ledger, file, filter)) {
    const rows = await readLines(ledger, file, lines);
    found.push(...rows.filter((row) => outcome === undefined || !isKept(outcome) || row.outcome === outcome));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Counts the matching rows of a file, up to about `most`: a larger number says that there are more. */
export async function countRows(ledger: LedgerReader, file: FileRow, filter: RowFilter, most: number): Promise<number> {
  const search = { ...filter, from: filter.from ?? 0, limit: most + 1 };
  // An invoice has few rows; candidates of it may have another outcome.
  if (filter.invoice !== undefined) return (await findRows(ledger, file, search)).length;
  let count = 0;
  for await (const lines of candidatesOf(ledger, file, search)) {
    count += lines.length;
    if (count > most) break;
  }
  return count;
}

/** Sorts all matching rows of a file to find those of a page. */
async function listSorted(
  ledger: LedgerReader,
  file: FileRow,
  { outcome, invoice, batch, from = 0 }: RowFilter,
  { order = 'line', ...page }: ListPage<RowOrder>,
): Promise<ListedRow[]> {
  const value = ROW_ORDERS[order];
  const valueAt = (place: string) => `SELECT ${value} FROM payment_row r WHERE r.file_no = $1 AND r.line = ${place}`;
  const sql = pageSql({ value, number: 'r.line', valueAt }, page, '$2');
  const kept = outcome !== undefined && isKept(outcome) ? outcome : null;
  const ofBatches = outcome === 'open' || outcome === 'not_sent' ? await findBatchesWith(ledger, file, outcome) : null;
  const { rows } = await ledger.pool.query<{ line: number }>(
    `SELECT r.line FROM payment_row r
     WHERE r.file_no = $1 AND ${sql.condition} AND ($4::text IS NULL OR lower(r.invoice) = lower($4))
       AND ($5::integer IS NULL OR r.batch_no = $5) AND ($6::integer[] IS NULL OR r.batch_no = ANY ($6))
       AND (NOT $7::boolean OR r.batch_no IS NULL) AND r.line >= $9
       AND ($8::text IS NULL OR r.line IN (SELECT line FROM current_outcome WHERE file_no = $1 AND outcome = $8))
     ORDER BY ${sql.order} LIMIT $3`,
    [
      file.file_no,
      page.after ?? page.before ?? null,
      page.limit,
      invoice ?? null,
      batch ?? null,
      ofBatches,
      outcome === 'invalid',
      kept,
      from,
    ],
  );
  const lines = inListOrder(rows, page).map((row) => row.line);
  const found = new Map((await readLines(ledger, file, lines)).map((row) => [row.line, row]));
  return lines.map((line) => found.get(line)!);
}

/**
 * Reads rows by line number, which the planner looks up one by one; between two bounds it may read a million outcomes.
 */
async function readLines(ledger: LedgerReader, file: FileRow, lines: readonly number[]): Promise<ListedRow[]> {
  const { rows } = await ledger.pool.query<ListedRow>(
    `SELECT r.line, r.batch_no, r.invoice, r.customer_code, r.amount_cents, r.last_four,
            o.outcome, o.code, o.message, o."authorization", b.state AS batch_state
     FROM payment_row r
     LEFT JOIN current_outcome o ON o.file_no = $1 AND o.line = r.line AND o.line = ANY ($3)
     LEFT JOIN batch b ON b.file_id = $2 AND b.batch_no = r.batch_no
     WHERE r.file_no = $1 AND r.line = ANY ($3) ORDER BY r.line`,
    [file.file_no, file.file_id, lines],
  );
  return rows;
}

/** Returns whether the ledger keeps this outcome per row; the others follow from the row's batch. */
function isKept(outcome: Outcome | 'open'): boolean {
  return outcome !== 'open' && outcome !== 'not_sent' && outcome !== 'invalid';
}

/**
 * Yields pages of lines that include the wanted ones. Rows of one outcome are looked for only in batches whose sums
 * have it. So a few declined rows among a million are found at once, without an index of a million outcomes.
 */
async function* candidatesOf(ledger: LedgerReader, file: FileRow, filter: RowSearch): AsyncGenerator<number[]> {
  const { outcome, batch, invoice } = filter;
  if (outcome === 'invalid') {
    if (batch === undefined) yield await findWithheldLines(ledger, file.file_no, filter);
    return;
  }
  const batches = await batchesOf(ledger, file, filter);
  if (batches === undefined || invoice !== undefined) yield* walkLines(ledger, file.file_no, filter, batches);
  else yield* walkBatches(ledger, file, filter, batches);
}

/** Finds rows by their missing batch and then sorts them: in line order, a million valid ones might come first. */
async function findWithheldLines(ledger: LedgerReader, fileNo: number, filter: RowSearch): Promise<number[]> {
  const { rows } = await ledger.pool.query<{ line: number }>(
    `SELECT line FROM (SELECT line FROM payment_row WHERE file_no = $1 AND batch_no IS NULL AND line >= $2
                         AND ($3::text IS NULL OR lower(invoice) = lower($3)) OFFSET 0) withheld
     ORDER BY line LIMIT $4`,
    [fileNo, filter.from, filter.invoice ?? null, filter.limit],
  );
  return rows.map((row) => row.line);
}

/** Walks by line, within these batches, and by invoice if one is given. */
async function* walkLines(
  ledger: LedgerReader,
  fileNo: number,
  { invoice, from, limit }: RowSearch,
  batches: readonly number[] | undefined,
): AsyncGenerator<number[]> {
  const pageRows = batches === undefined ? limit : PAGE_ROWS;
  for (let next = from; ; ) {
    const { rows } = await ledger.pool.query<{ line: number }>(
      `SELECT line FROM payment_row
       WHERE file_no = $1 AND line >= $2 AND ($4::text IS NULL OR lower(invoice) = lower($4))
         AND ($5::integer[] IS NULL OR batch_no = ANY ($5))
       ORDER BY line LIMIT $3`,
      [fileNo, next, pageRows, invoice ?? null, batches ?? null],
    );
    yield rows.map((row) => row.line);
    if (rows.length < pageRows) return;
    next = rows.at(-1)!.line + 1;
  }
}

const PAGE_ROWS = 500;

/** Yields lines of these batches; for a kept outcome, only those that have it. Starts with few batches at a time. */
async function* walkBatches(
  ledger: LedgerReader,
  { file_no: fileNo, file_id: fileId }: FileRow,
  { outcome, from }: RowSearch,
  batches: readonly number[],
): AsyncGenerator<number[]> {
  let atOnce = 2;
  for (let at = 0; at < batches.length; ) {
    const { rows } = await ledger.pool.query<{ line: number }>(
      `SELECT r.line FROM batch b
       JOIN payment_row r ON r.file_no = $1 AND r.line BETWEEN b.first_line AND b.last_line AND r.batch_no = b.batch_no
       WHERE b.file_id = $2 AND b.batch_no = ANY ($3) AND r.line >= $4 ORDER BY r.line`,
      [fileNo, fileId, batches.slice(at, at + atOnce), from],
    );
    const lines = rows.map((row) => row.line);
    yield outcome !== undefined && isKept(outcome) ? await pickLines(ledger, fileNo, lines, outcome) : lines;
    at += atOnce;
    atOnce = Math.min(atOnce * 2, MOST_AT_ONCE);
  }
}

const MOST_AT_ONCE = 16;

async function pickLines(
  ledger: LedgerReader,
  fileNo: number,
  lines: readonly number[],
  outcome: Outcome | 'open',
): Promise<number[]> {
  const { rows } = await ledger.pool.query<{ line: number }>(
    'SELECT line FROM current_outcome WHERE file_no = $1 AND line = ANY ($2) AND outcome = $3 ORDER BY line',
    [fileNo, lines, outcome],
  );
  return rows.map((row) => row.line);
}

/** Returns the batches that may hold matching rows, in order; undefined when any may. */
async function batchesOf(
  ledger: LedgerReader,
  file: FileRow,
  filter: RowSearch,
): Promise<readonly number[] | undefined> {
  const { outcome, batch, from } = filter;
  if (outcome === undefined) return batch === undefined ? undefined : [batch];
  const first = await findFirstBatch(ledger, file.file_no, from);
  const found = await findBatchesWith(ledger, file, outcome);
  return found.filter((batchNo) => batchNo >= first && (batch === undefined || batchNo === batch));
}

/** Finds the first batch from a line on. Lines grow with batch numbers, so batches before it can be skipped. */
async function findFirstBatch(ledger: LedgerReader, fileNo: number, from: number): Promise<number> {
  const { rows } = await ledger.pool.query<{ batch_no: number }>(
    `SELECT batch_no FROM payment_row WHERE file_no = $1 AND line >= $2 AND batch_no IS NOT NULL
     ORDER BY line LIMIT 1`,
    [fileNo, from],
  );
  return rows[0]?.batch_no ?? Number.MAX_SAFE_INTEGER;
}

async function findBatchesWith(ledger: LedgerReader, file: FileRow, outcome: Outcome | 'open'): Promise<number[]> {
  const { rows } = isKept(outcome)
    ? await ledger.pool.query<{ batch_no: number }>(
        'SELECT DISTINCT batch_no FROM outcome_movement WHERE file_no = $1 AND outcome = $2 AND rows > 0 ORDER BY batch_no',
        [file.file_no, outcome],
      )
    : await ledger.pool.query<{ batch_no: number }>(
        `SELECT batch_no FROM batch WHERE file_id = $1
           AND CASE WHEN $2 THEN state = 'cancelled' ELSE state <> ALL ($3) END ORDER BY batch_no`,
        [file.file_id, outcome === 'not_sent', FINAL_BATCH_STATES],
      );
  return rows.map((row) => row.batch_no);
}
