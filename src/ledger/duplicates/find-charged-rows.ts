import type { FolderOperation } from '../../../schemas/operations.ts';
import { findVolumes } from './fingerprint-volumes.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { CERTAINLY_NOT_CHARGED } from '../batch/conditions.ts';
import type { Queryable } from '../engine/transaction.ts';

/** An earlier file holds the same payment, or one without a relevant difference. */
export type ChargedCode = 'CHARGED_BEFORE' | 'LIKE_CHARGED';

/** SQL: when the payments of a file became known. */
export const AGED_FROM = 'coalesce(aged_from, claimed_at)';

/**
 * Returns SQL for the first row of another file, per line, that is the same payment and may have been charged. `twin`
 * (line, file_no, earlier_line, other_kind) holds rows with matching fingerprints. `own_row` has the invoice, customer
 * code, cents and last digits of these lines. Fingerprints may collide, so the rows are compared too, as far as the
 * ledger knows them.
 *
 * Of an archived file only the fingerprints are left, and they decide alone: a person looks at the new row.
 *
 * A row is `not_charged` because transaction reports lacked it. It may have been booked since, so it counts, except for
 * a file that paydrop made of such rows after querying the service again.
 *
 * `$2` is the start of the search, `$3` CERTAINLY_NOT_CHARGED, `$4` the operation.
 * @param isResubmission SQL: whether paydrop made the file from rows of others
 */
export function seenAmongTwins(isResubmission: string): string {
  return `
    SELECT DISTINCT ON (t.line) t.line,
           'line ' || t.earlier_line || ' of file ' || f.file_id
             || CASE WHEN r.line IS NULL THEN ', which is archived'
                     WHEN x.outcome = 'not_charged' THEN ', which reports of the service lacked' ELSE '' END AS detail,
           CASE WHEN ${isEqualPayment('$4')} THEN 'CHARGED_BEFORE' ELSE 'LIKE_CHARGED' END AS code
    FROM twin t
    JOIN own_row o USING (line)
    LEFT JOIN LATERAL (SELECT * FROM payment_row r WHERE r.file_no = t.file_no AND r.line = t.earlier_line OFFSET 0) r ON true
    JOIN file f ON f.file_no = t.file_no AND ${AGED_FROM} >= $2
    LEFT JOIN batch b ON b.file_id = f.file_id AND b.state <> 'cancelled' AND b.batch_no = r.batch_no
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT o.outcome FROM current_outcome o WHERE o.file_no = t.file_no AND o.line = t.earlier_line), '')
        AS outcome OFFSET 0
    ) x
    WHERE (r.line IS NULL AND f.archive_no IS NOT NULL) OR (b.file_id IS NOT NULL AND (x.outcome <> ALL ($3) OR (x.outcome = 'not_charged' AND NOT (${isResubmission} AND EXISTS (
            SELECT FROM resubmitted_row s WHERE s.file_no = t.file_no AND s.line = t.earlier_line))))
      AND ${IS_SAME_PAYMENT})
    ORDER BY t.line, code, t.file_no, t.earlier_line`;
}

/** Returns SQL for whether row `r` of file `f` equals row `o`, which is of this operation, to the letter. */
export function isEqualPayment(operation: string): string {
  return `f.operation = ${operation} AND (o.invoice, o.customer_code, o.last_four) = (r.invoice, r.customer_code, r.last_four)`;
}

/** Returns SQL that holds for texts with one fingerprint form (loosen.ts, turned-text.ts), and for some others. */
function areAlike(one: string, other: string): string {
  const left = (text: string) => `regexp_replace(lower(${text} COLLATE "C"), '[^a-z1-9]', '', 'g')`;
  const odd = `'[^ -~]|[0-9]{16}|[0-9.][eE][0-9+]|[0-9]:[0-9]|[0-9][-/. ][0-9]{1,2}[-/. ][0-9]'`;
  return `(${one} = ${other} OR ${one} ~ ${odd} OR ${other} ~ ${odd} OR ${left(one)} = ${left(other)})`;
}

/** SQL: rows `o` and `r` are one payment, as far as the ledger knows them; `t.other_kind` tells their kinds of payer apart. */
export const IS_SAME_PAYMENT = `r.amount_cents = o.amount_cents AND ${areAlike('o.invoice', 'r.invoice')}
      AND (t.other_kind OR (right(o.last_four, 2) = right(r.last_four, 2) AND ${areAlike('o.customer_code', 'r.customer_code')}))`;

/** Returns SQL for the invoice and amount half of a fingerprint (crypto/fingerprints/row-fingerprint.ts), as a number. */
export function invoiceOf(fingerprint: string): string {
  return `(${fingerprint} >> 32)`;
}

/** Returns SQL for the kind of payer in a fingerprint, as a number. */
export function kindOf(fingerprint: string): string {
  return `((${fingerprint} >> ${PAYER_BITS}) & 3)`;
}

/**
 * Returns SQL for the possible fingerprints of the same payment by another kind of payer. They form two ranges, each
 * from its first fingerprint to the one after its last.
 * @param fingerprint SQL of the fingerprint of a row
 */
function otherKindsOf(fingerprint: string): string {
  const first = `(${invoiceOf(fingerprint)} << 32)`;
  const at = (kind: string) => `${first} + (${kind} << ${PAYER_BITS})`;
  return `(VALUES (${first}, ${at(kindOf(fingerprint))}), (${at(`(${kindOf(fingerprint)} + 1)`)}, ${at('3::bigint')}))`;
}

/** Returns SQL for the ranges of all fingerprints of the same payment: its own, and those of other kinds of payer. */
export function twinRangesOf(fingerprint: string): string {
  return `(SELECT ${fingerprint}, ${fingerprint} + 1 UNION ALL SELECT * FROM ${otherKindsOf(fingerprint)} AS others)`;
}

/** Bits of a fingerprint below those of the kind of payer. */
const PAYER_BITS = 30;

/** Returns SQL for twins of rows (`own`: line, fingerprint): first by same fingerprint, then of other kinds of payer. */
export function twinsInVolumes(volumes: string, own: string, besides: string): string {
  const find = (fingerprint: string) =>
    `CROSS JOIN LATERAL (SELECT file_no, line FROM row_fingerprint p WHERE p.volume = v.volume AND ${fingerprint} ${besides} OFFSET 0) e`;
  return `
    SELECT own.line, e.file_no, e.line AS earlier_line, false AS other_kind
    FROM unnest(${volumes}::bigint[]) AS v (volume) CROSS JOIN ${own} own ${find('p.fingerprint = own.fingerprint')}
    UNION ALL
    SELECT own.line, e.file_no, e.line, true
    FROM unnest(${volumes}::bigint[]) AS v (volume) CROSS JOIN ${own} own
    CROSS JOIN LATERAL ${otherKindsOf('own.fingerprint')} AS s (first, beyond)
    ${find('p.fingerprint >= s.first AND p.fingerprint < s.beyond')}`;
}

/** A row not in the ledger, with one of its fingerprints (crypto/fingerprints/row-fingerprint.ts). Money is integer cents. */
export type MarkedRow = {
  line: number;
  fingerprint: bigint;
  invoice: string;
  customerCode: string;
  amountCents: number;
  lastFour: string;
};

/** A line, and the earlier row that it repeats. */
type ChargedRow = { line: number; code: ChargedCode; detail: string };

/**
 * Finds which of these rows are in a file of the ledger and may have been charged. They must have an invoice: rows
 * without one do not count. `flagChargedRows` does the same for rows in the ledger.
 * @param since earlier files are ignored
 */
export async function findChargedRows(
  { pool }: Ledger,
  { account, operation }: { account: string; operation: FolderOperation },
  marked: readonly MarkedRow[],
  since: Date,
): Promise<ChargedRow[]> {
  if (marked.length === 0) return [];
  const volumes = await findVolumes(pool, account, since);
  if (volumes.length === 0) return [];
  const { rows } = await pool.query<ChargedRow>(FIND, [
    volumes,
    since,
    CERTAINLY_NOT_CHARGED,
    operation,
    marked.map((row) => row.line),
    marked.map((row) => row.fingerprint),
    marked.map((row) => row.invoice),
    marked.map((row) => row.customerCode),
    marked.map((row) => row.amountCents),
    marked.map((row) => row.lastFour),
  ]);
  return rows;
}

const FIND = `
  WITH own_row AS MATERIALIZED (
    SELECT * FROM unnest($5::integer[], $6::bigint[], $7::text[], $8::text[], $9::bigint[], $10::text[])
      AS r (line, fingerprint, invoice, customer_code, amount_cents, last_four)
  ), twin AS MATERIALIZED (${twinsInVolumes('$1', 'own_row', '')}
  ), seen AS (${seenAmongTwins('false')})
  SELECT line, code, detail FROM seen ORDER BY line`;

/**
 * Returns the earlier of the times of this host and the database, so that a clock set forward does not make recent
 * events look old.
 * @param databaseNow SQL for the database time
 */
export async function readSlowerNow(
  client: Pick<Queryable, 'query'>,
  hostNow: Date,
  databaseNow: string,
): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>(`SELECT least($1::timestamptz, ${databaseNow}) AS now`, [hostNow]);
  return rows[0]!.now;
}
