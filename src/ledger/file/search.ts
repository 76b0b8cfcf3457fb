import type { FaultCode } from '../../../schemas/errors.ts';
import type { BatchState, FileState } from '../../../schemas/lifecycle.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskName } from '../../kernel/mask.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';

export type FoundRow = {
  invoice: string;
  customerCode: string;
  amountCents: number | null;
  lastFour: string;
  line: number;
  fileId: string;
  name: string;
  account: string;
  operation: string;
  fileState: FileState;
  claimedAt: Date;
  batchNo: number | null;
  batchState: BatchState | null;
  batchId: string | null;
  outcome: string | null;
  code: number | null;
  message: string | null;
  /** For a withheld row: the codes of its faults. */
  faults: FaultCode[];
};

/** Returns all rows with exactly this invoice, newest first, up to `limit`. */
export async function findInvoice(ledger: Ledger, invoice: string, limit = 100): Promise<FoundRow[]> {
  const places = `SELECT file_no, line FROM payment_row r WHERE ${hasInvoiceOf('$1')} ORDER BY file_no DESC, line LIMIT $2`;
  const { rows } = await ledger.pool.query<FoundRow>(foundSql(places, '$2'), [[invoice], limit]);
  return rows;
}

/** SQL: whether a row `r` has one of these invoices, through the index, which has them in small letters. */
export function hasInvoiceOf(invoices: string): string {
  return `(lower(r.invoice) = ANY (ARRAY(SELECT lower(i) FROM unnest(${invoices}::text[]) i))
      AND r.invoice = ANY (${invoices}))`;
}

/**
 * Returns SQL of all that a search shows of rows, newest file first. The planner does not know how few they are, so all
 * else is looked up row by row.
 * @param places SQL of their numbers of file and line
 */
export function foundSql(places: string, limit: string): string {
  return `SELECT r.invoice, r.customer_code AS "customerCode", r.amount_cents AS "amountCents", r.last_four AS "lastFour",
           c.line, f.file_id AS "fileId", f.name, f.account, f.operation, f.state AS "fileState",
           f.claimed_at AS "claimedAt", r.batch_no AS "batchNo", b.state AS "batchState", b.batch_id AS "batchId",
           o.outcome, o.code, o.message,
           ARRAY(SELECT DISTINCT d.code FROM row_fault d
                 WHERE r.batch_no IS NULL AND d.file_no = c.file_no AND d.line = c.line ORDER BY 1) AS faults
    FROM (${places}) c
      CROSS JOIN LATERAL (SELECT * FROM payment_row x WHERE x.file_no = c.file_no AND x.line = c.line OFFSET 0) r
      CROSS JOIN LATERAL (SELECT * FROM file x WHERE x.file_no = c.file_no OFFSET 0) f
      LEFT JOIN LATERAL (SELECT * FROM batch x WHERE x.file_id = f.file_id AND x.batch_no = r.batch_no OFFSET 0) b ON true
      LEFT JOIN LATERAL (SELECT * FROM current_outcome x WHERE x.file_no = c.file_no AND x.line = c.line OFFSET 0) o ON true
    ORDER BY c.file_no DESC, c.line LIMIT ${limit}`;
}

/**
 * Finds a file by its id, by its first characters as in output names, or by the sender's name if that is unique. The
 * ledger masks long numbers in names, so the search and its error do, too.
 * @throws PipelineError NOT_FOUND
 */
export async function findFile(ledger: Ledger, words: string): Promise<FileRow> {
  const name = maskName(words);
  const { rows } = await ledger.pool.query<FileRow>(
    `SELECT * FROM file LEFT JOIN file_secret USING (file_id)
     WHERE file_id = $1 OR name = $2 OR ($1 ~ '^[0-9a-z]{4,16}$' AND file_id LIKE $1 || '%')
     ORDER BY file_id = $1 DESC, file_no DESC LIMIT 2`,
    [words, name],
  );
  const [first, second] = rows;
  if (!first) throw new PipelineError('NOT_FOUND', `find a file "${name}"`);
  if (second && first.file_id !== words) {
    throw new PipelineError('NOT_FOUND', `find one file "${name}"`, 'several files match', {
      next: 'Give the file id; the names of the output files contain its first characters.',
    });
  }
  return first;
}

export type AuditRow = {
  seq: number;
  at: Date;
  actor: string;
  batch_no: number | null;
  move: string;
  from_state: string | null;
  to_state: string | null;
  reason: string;
  evidence: Record<string, unknown>;
};

/** Returns the history of a file: every move of it and its batches, in order. */
export async function readAudit(ledger: Ledger, fileId: string): Promise<AuditRow[]> {
  const { rows } = await ledger.pool.query<AuditRow>(
    'SELECT seq, at, actor, batch_no, move, from_state, to_state, reason, evidence FROM audit WHERE file_id = $1 ORDER BY seq',
    [fileId],
  );
  return rows;
}

/**
 * Indexes that a user may add. Each row enters them at a place of its own, far from the last; with 3 million rows in the
 * ledger, intake then took 1.6 to 2.6 times as long, so none is there at first.
 */
export const SEARCH_INDEXES = {
  amounts: {
    index: 'payment_row_by_amount',
    on: 'payment_row (amount_cents, last_four)',
    finds: 'amounts, and last digits with an amount',
  },
  endings: {
    index: 'payment_row_by_invoice_end',
    on: 'payment_row (reverse(lower(invoice)) text_pattern_ops)',
    finds: 'the end of an invoice',
  },
  customers: {
    index: 'payment_row_by_customer',
    on: `payment_row (lower(customer_code) text_pattern_ops) WHERE customer_code <> ''`,
    finds: 'the beginning of a customer code',
  },
} as const;
export type SearchIndex = keyof typeof SEARCH_INDEXES;

/** Returns the indexes for searches that were added and are ready. */
export async function listSearchIndexes({ pool }: Ledger): Promise<ReadonlySet<SearchIndex>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = 'payment_row'::regclass AND i.indisvalid`,
  );
  const there = new Set(rows.map(({ name }) => name));
  const names = Object.keys(SEARCH_INDEXES) as SearchIndex[];
  return new Set(names.filter((name) => there.has(SEARCH_INDEXES[name].index)));
}

/** A large ledger takes minutes, and files are taken in all the while. */
const LONGEST_BUILD_MS = 86_400_000;

/**
 * Adds an index for searches while paydrop works. One left over from a build that was broken off is made anew.
 * @throws PipelineError MOVE_REFUSED when it is there already
 */
export async function buildSearchIndex(ledger: Ledger, name: SearchIndex): Promise<void> {
  if ((await listSearchIndexes(ledger)).has(name))
    throw new PipelineError('MOVE_REFUSED', `build the index "${name}"`, 'it is there already', {
      next: 'No action is needed.',
    });
  await dropSearchIndex(ledger, name);
  const { index, on } = SEARCH_INDEXES[name];
  await runLong(ledger, `CREATE INDEX CONCURRENTLY ${index} ON ${on}`);
}

/** Removes an index for searches, if it is there. */
export async function dropSearchIndex(ledger: Ledger, name: SearchIndex): Promise<void> {
  await runLong(ledger, `DROP INDEX CONCURRENTLY IF EXISTS ${SEARCH_INDEXES[name].index}`);
}

/** Runs a statement that may take longer than a query. The types of node-postgres do not know this setting. */
async function runLong({ pool }: Ledger, text: string): Promise<void> {
  const query: { text: string } = Object.assign({ text }, { query_timeout: LONGEST_BUILD_MS });
  await pool.query(query);
}
