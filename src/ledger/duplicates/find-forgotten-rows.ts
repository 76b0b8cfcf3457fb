import { invoiceOf, kindOf } from './find-charged-rows.ts';
import { MARK_BYTES } from '../admission/send-marks.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { ask, type Question } from '../engine/ask.ts';
import type { Queryable } from '../engine/transaction.ts';

/** What the ledger has forgotten of a merchant, as far as the send journals, the service and its reports show it. */
export type Forgotten = {
  /** Number of the newest call; 0 when there is none. */
  newest: number;
  /** Whether rows of such calls are known. */
  hasRows: boolean;
  /** Calls whose rows nobody knows: any file may hold them. A report that covers a call takes it out. */
  unknown: number;
};

/**
 * Asks for it.
 * @param account any name of the merchant
 * @param after counts only unknown calls that were found after this one
 */
export function forgottenOf(account: string, after = 0): Question<Forgotten> {
  return {
    sql: `SELECT newest_forgotten(merchant_no) AS newest,
            EXISTS (SELECT FROM forgotten_row r WHERE r.merchant_no = m.merchant_no) AS "hasRows",
            (SELECT count(*)::int FROM forgotten_send g
             WHERE g.merchant_no = m.merchant_no AND NOT is_marked AND reconciled_at IS NULL AND call_order > $2::bigint) AS unknown
     FROM merchant_of($1::text) AS m (merchant_no)`,
    values: [account, after],
    read: (rows) => rows[0] as Forgotten,
  };
}

export async function readForgotten(client: Queryable, account: string, after = 0): Promise<Forgotten> {
  const [forgotten] = await ask(client, forgottenOf(account, after));
  return forgotten;
}

/** A row with one of its marks. */
export type MarkedLine = { line: number; mark: bigint; hasInvoice: boolean };

/** A row that a forgotten call may have held. `code` says how alike they are. */
export type ForgottenRow = { line: number; code: 'CHARGED_BEFORE' | 'LIKE_CHARGED'; detail: string };

/**
 * Finds rows that a forgotten call of the merchant may have held. Marks are equal, or invoice and amount are and the payer
 * is named in another way. Without an invoice that second rule would find every row of the amount; then only a report
 * counts that does not show the payer.
 */
export async function findForgottenRows(
  client: Pick<Queryable, 'query'>,
  account: string,
  marked: readonly MarkedLine[],
): Promise<ForgottenRow[]> {
  if (marked.length === 0) return [];
  const { rows } = await client.query<ForgottenRow>(FIND, [
    account,
    marked.map(({ line }) => line),
    marked.map(({ mark }) => mark),
    marked.map(({ hasInvoice }) => hasInvoice),
  ]);
  return rows;
}

const FIND = `
  SELECT DISTINCT ON (own.line) own.line, CASE WHEN p.fingerprint = own.mark THEN 'CHARGED_BEFORE' ELSE 'LIKE_CHARGED' END AS code,
    CASE WHEN p.call IS NULL THEN 'a payment in a report of the service that no file of the ledger has'
         ELSE 'a call at ' || to_char(p.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' that the ledger had lost' END AS detail
  FROM unnest($2::integer[], $3::bigint[], $4::boolean[]) AS own (line, mark, has_invoice)
  JOIN forgotten_row p ON p.merchant_no = (SELECT merchant_of($1))
    AND p.fingerprint BETWEEN (${invoiceOf('own.mark')} << 32) AND (${invoiceOf('own.mark')} << 32) + 4294967295
    AND (p.fingerprint = own.mark
      OR (${kindOf('p.fingerprint')} <> ${kindOf('own.mark')} AND (own.has_invoice OR ${kindOf('p.fingerprint')} = 3)))
  ORDER BY own.line, code, p.at`;

/** Remembers rows of calls that the ledger has forgotten. @param call omitted for rows that a report shows */
export async function addForgottenRows(
  client: Pick<Queryable, 'query'>,
  { merchantNo, call, at }: { merchantNo: number; call?: string; at: Date },
  marks: Buffer,
): Promise<void> {
  await client.query(
    'INSERT INTO forgotten_row (merchant_no, fingerprint, call, at) SELECT $1, mark, $2, $3 FROM unnest($4::bigint[]) mark',
    [merchantNo, call ?? null, at, numbersOf(marks)],
  );
}

/** Returns marks as the numbers that the ledger keeps. */
export function numbersOf(marks: Buffer): bigint[] {
  return Array.from({ length: Math.floor(marks.length / MARK_BYTES) }, (_, place) =>
    marks.readBigInt64BE(place * MARK_BYTES),
  );
}

/** Deletes the rows of calls declared before a moment, by the clocks of this host and of the database. */
export async function dropForgottenRows({ pool, databaseNow, clock }: Ledger, before: Date): Promise<void> {
  const ageMs = clock.now().getTime() - before.getTime();
  await pool.query(
    `DELETE FROM forgotten_row WHERE at < $1 AND at < ${databaseNow()} - $2 * interval '1 millisecond'`,
    [before, ageMs],
  );
}
