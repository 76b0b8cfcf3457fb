import { CERTAINLY_NOT_CHARGED, IS_OPEN } from '../batch/conditions.ts';
import type { BatchState } from '../../../schemas/lifecycle.ts';
import type { Transaction } from '../engine/transaction.ts';
import { IS_SAME_PAYMENT, isEqualPayment, twinsInVolumes } from './find-charged-rows.ts';
import { findVolumes } from './fingerprint-volumes.ts';

/** A row of a file, and a row of another file that may be the same payment and was, or may be, charged. */
export type Pair = {
  line: number;
  otherNo: number;
  otherId: string;
  otherLine: number;
  otherBatchNo: number;
  otherState: BatchState;
  /** Null while it has none, or its rows are archived. */
  otherOutcome: string | null;
  /** Equal to the letter. */
  isSame: boolean;
};

type Wanted = {
  account: string;
  fileNo: number;
  lines: readonly number[];
  /** Fingerprints of files that all came before are not searched; by default all are. */
  since?: Date;
  /** Only files that were taken after this one. */
  isLater?: boolean;
};

/** Statements of at most this many rows end well within the query timeout. */
const STEP_ROWS = 10_000;

/**
 * Finds for rows of a file the rows of other files that are the same payment by the rules of intake, and that were or
 * may be charged, now or when they are sent. Both files must lie within the days that the folder of the later one
 * compares.
 *
 * Rows without a fingerprint have no invoice, or are too old. They are compared with the unsent batches row by row:
 * such rows are few, and what they match can still be stopped.
 * @param wanted.account whose other files are searched
 */
export async function findPairs({ client }: Transaction, wanted: Wanted): Promise<Pair[]> {
  const { account, fileNo, lines, since = new Date(0), isLater = false } = wanted;
  const volumes = await findVolumes(client, account, since);
  const found: Pair[] = [];
  for (let from = 0; from < lines.length; from += STEP_ROWS) {
    const some = lines.slice(from, from + STEP_ROWS);
    const ask = async (statement: string, of: readonly number[], among: unknown) =>
      (await client.query<Pair>(statement, [fileNo, of, CERTAINLY_NOT_CHARGED, among, isLater ? fileNo : 0])).rows;
    found.push(...(await ask(BY_FINGERPRINT, some, volumes)));
    const { rows: bare } = await client.query<{ line: number }>(BARE, [fileNo, some]);
    if (bare.length > 0)
      found.push(
        ...(await ask(
          BY_ROW,
          bare.map(({ line }) => line),
          account,
        )),
      );
  }
  return found;
}

const BARE = `
  SELECT r.line FROM payment_row r
  WHERE r.file_no = $1 AND r.line = ANY ($2) AND r.batch_no IS NOT NULL
    AND NOT EXISTS (SELECT FROM row_fingerprint p WHERE p.file_no = $1 AND p.line = r.line)`;

const OWN = `
  own AS MATERIALIZED (SELECT line, fingerprint FROM row_fingerprint WHERE file_no = $1 AND line = ANY ($2))`;

const OWN_ROW = `
  own_row AS MATERIALIZED (
    SELECT line, invoice, customer_code, amount_cents, last_four FROM payment_row
    WHERE file_no = $1 AND line = ANY ($2) AND batch_no IS NOT NULL)`;

/**
 * SQL: the batch `b` of file `f` has, or may get, money for its row: it is open, its outcome `x` is no certain no, or
 * the ledger has forgotten a call of it.
 */
export const MAY_HAVE_MONEY = `(b.${IS_OPEN} OR (b.state = 'reconciled' AND x.outcome <> ALL ($3)) OR ${wasForgotten('f', 'b')})`;

/** Returns SQL for whether a send journal, or the service, knows a call of a batch that the ledger does not. */
export function wasForgotten(file: string, batch: string): string {
  return `EXISTS (SELECT FROM forgotten_send g
    WHERE g.file_id = ${file}.file_id AND (g.batch_no = ${batch}.batch_no OR g.batch_state IS NULL))`;
}

/** SQL: the later of two files compares rows with those of the earlier one. */
const IS_COMPARED = `CASE WHEN f.file_no > m.file_no
    THEN f.compared_from IS NULL OR coalesce(m.aged_from, m.claimed_at) >= f.compared_from
    ELSE m.compared_from IS NULL OR coalesce(f.aged_from, f.claimed_at) >= m.compared_from END`;

// OFFSET 0 keeps each look-up by its primary key.
const JUDGED = `
  SELECT t.line, f.file_no AS "otherNo", f.file_id AS "otherId", t.earlier_line AS "otherLine", b.batch_no AS "otherBatchNo",
         b.state AS "otherState", nullif(x.outcome, '') AS "otherOutcome",
         coalesce(${isEqualPayment('m.operation')}, false) AS "isSame"
  FROM (SELECT DISTINCT ON (line, file_no, earlier_line) * FROM twin ORDER BY line, file_no, earlier_line, other_kind) t
  JOIN own_row o USING (line)
  JOIN file m ON m.file_no = $1
  JOIN file f ON f.file_no = t.file_no AND ${IS_COMPARED}
  LEFT JOIN LATERAL (SELECT * FROM payment_row r WHERE r.file_no = t.file_no AND r.line = t.earlier_line OFFSET 0) r ON true
  CROSS JOIN LATERAL (SELECT * FROM batch WHERE batch.file_id = f.file_id AND t.earlier_line BETWEEN batch.first_line AND batch.last_line
    AND (r.line IS NULL OR r.batch_no = batch.batch_no) OFFSET 0) b
  CROSS JOIN LATERAL (SELECT coalesce((SELECT c.outcome FROM current_outcome c
    WHERE c.file_no = t.file_no AND c.line = t.earlier_line), '') AS outcome OFFSET 0) x
  WHERE ${MAY_HAVE_MONEY} AND ((r.line IS NULL AND f.archive_no IS NOT NULL) OR (${IS_SAME_PAYMENT}))
  ORDER BY t.line, f.file_no, t.earlier_line`;

const BY_FINGERPRINT = `WITH ${OWN}, ${OWN_ROW}, twin AS MATERIALIZED (
    ${twinsInVolumes('$4', '(SELECT * FROM own ORDER BY fingerprint)', 'AND p.file_no <> $1 AND p.file_no > $5')}
  ) ${JUDGED}`;

const BY_ROW = `WITH ${OWN_ROW}, twin AS MATERIALIZED (
    SELECT o.line, f.file_no, r.line AS earlier_line, f.operation <> m.operation AS other_kind
    FROM own_row o JOIN file m ON m.file_no = $1
    JOIN batch b ON b.account IN (SELECT account FROM account WHERE merchant_no = (SELECT merchant_of($4))) AND b.${IS_OPEN}
    JOIN file f ON f.file_id = b.file_id AND f.file_no <> $1 AND f.file_no > $5
    JOIN payment_row r ON r.file_no = f.file_no AND r.line BETWEEN b.first_line AND b.last_line AND r.batch_no = b.batch_no
      AND r.amount_cents = o.amount_cents
  ) ${JUDGED}`;
