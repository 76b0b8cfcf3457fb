import type { FolderOperation } from '../../../schemas/operations.ts';
import { findVolumes } from './fingerprint-volumes.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { CERTAINLY_NOT_CHARGED } from './may-be-charged.ts';

/** The very payment stands in an earlier file, or one that differs in nothing that matters. */
export type ChargedCode = 'CHARGED_BEFORE' | 'LIKE_CHARGED';

/** SQL: since when the payments of a file are known. */
export const AGED_FROM = 'coalesce(aged_from, claimed_at)';

/**
 * SQL: of the rows of other files whose prints say that they are the same payment (`twin`: line, file_no, earlier_line,
 * other_kind), the first for each line that may have been charged. `own_row` has the invoice, customer code, cents and last
 * digits of these lines. Prints meet by chance, so the rows are compared as well, as closely as the ledger knows them.
 *
 * A row is `not_charged` because reports of the service lacked it. It may have been booked since, so it counts as well; but
 * not for a file that we made of such rows ourselves, after the service was asked once more.
 *
 * `$2` is since when files count, `$3` CERTAINLY_NOT_CHARGED, `$4` the operation.
 * @param isResubmission SQL: whether we made the file ourselves of rows of others
 */
export function seenAmongTwins(isResubmission: string): string {
  return `
    SELECT DISTINCT ON (t.line) t.line,
           'line ' || t.earlier_line || ' of file ' || f.file_id
             || CASE x.outcome WHEN 'not_charged' THEN ', which reports of the service lacked' ELSE '' END AS detail,
           CASE WHEN f.operation = $4 AND (o.invoice, o.customer_code, o.last_four) = (r.invoice, r.customer_code, r.last_four)
                THEN 'CHARGED_BEFORE' ELSE 'LIKE_CHARGED' END AS code
    FROM twin t
    JOIN own_row o USING (line)
    CROSS JOIN LATERAL (SELECT * FROM payment_row r WHERE r.file_no = t.file_no AND r.line = t.earlier_line OFFSET 0) r
    JOIN file f ON f.file_no = t.file_no AND ${AGED_FROM} >= $2
    JOIN batch b ON b.file_id = f.file_id AND b.state <> 'cancelled' AND b.batch_no = r.batch_no
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT o.outcome FROM current_outcome o WHERE o.file_no = t.file_no AND o.line = t.earlier_line), '')
        AS outcome OFFSET 0
    ) x
    WHERE (x.outcome <> ALL ($3) OR (x.outcome = 'not_charged' AND NOT (${isResubmission} AND EXISTS (
            SELECT FROM resubmitted_row s WHERE s.file_no = t.file_no AND s.line = t.earlier_line))))
      AND r.amount_cents = o.amount_cents AND ${areAlike('o.invoice', 'r.invoice')}
      AND (t.other_kind OR (right(o.last_four, 2) = right(r.last_four, 2) AND ${areAlike('o.customer_code', 'r.customer_code')}))
    ORDER BY t.line, code, t.file_no, t.earlier_line`;
}

/** SQL: all that have one form for prints (crypto/fingerprints/loosen.ts, turned-text.ts) are alike; some that have two are, too. */
function areAlike(one: string, other: string): string {
  const left = (text: string) => `regexp_replace(lower(${text} COLLATE "C"), '[^a-z1-9]', '', 'g')`;
  const odd = `'[^ -~]|[0-9]{16}|[0-9.][eE][0-9+]|[0-9]:[0-9]|[0-9][-/. ][0-9]{1,2}[-/. ][0-9]'`;
  return `(${one} = ${other} OR ${one} ~ ${odd} OR ${other} ~ ${odd} OR ${left(one)} = ${left(other)})`;
}

/** SQL: the half of a print (crypto/fingerprints/row-print.ts) that is of invoice and amount, as a number. */
export function invoiceOf(print: string): string {
  return `(${print} >> 32)`;
}

/** SQL: the kind of payer of a print, as a number. */
export function kindOf(print: string): string {
  return `((${print} >> ${PAYER_BITS}) & 3)`;
}

/**
 * SQL: the prints that a row may have which is the same payment by a payer of another kind, as two stretches, each from its
 * first print to the one behind its last.
 * @param print SQL of the print of a row
 */
function otherKindsOf(print: string): string {
  const first = `(${invoiceOf(print)} << 32)`;
  const at = (kind: string) => `${first} + (${kind} << ${PAYER_BITS})`;
  return `(VALUES (${first}, ${at(kindOf(print))}), (${at(`(${kindOf(print)} + 1)`)}, ${at('3::bigint')}))`;
}

/** Bits of a print below those of the kind of payer. */
const PAYER_BITS = 30;

/** SQL: of rows (`own`: line, print) those of the same print, then those of another kind of payer. */
export function twinsInVolumes(volumes: string, own: string, besides: string): string {
  const find = (print: string) =>
    `CROSS JOIN LATERAL (SELECT file_no, line FROM row_print p WHERE p.volume = v.volume AND ${print} ${besides} OFFSET 0) e`;
  return `
    SELECT own.line, e.file_no, e.line AS earlier_line, false AS other_kind
    FROM unnest(${volumes}::bigint[]) AS v (volume) CROSS JOIN ${own} own ${find('p.print = own.print')}
    UNION ALL
    SELECT own.line, e.file_no, e.line, true
    FROM unnest(${volumes}::bigint[]) AS v (volume) CROSS JOIN ${own} own
    CROSS JOIN LATERAL ${otherKindsOf('own.print')} AS s (first, beyond)
    ${find('p.print >= s.first AND p.print < s.beyond')}`;
}

/** A row of a file that is not in the ledger, with one of its prints (crypto/fingerprints/row-print.ts). Money is integer cents. */
export type MarkedRow = {
  line: number;
  print: bigint;
  invoice: string;
  customerCode: string;
  amountCents: number;
  lastFour: string;
};

/** A line, and which earlier row it repeats. */
export type ChargedRow = { line: number; code: ChargedCode; detail: string };

/**
 * Which of these rows stand in a file of the ledger and may have been charged. They must have an invoice: rows without one do
 * not count. See flagChargedRows, which asks the same of rows that are in the ledger.
 * @param since files that came before are not looked at
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
    marked.map((row) => row.print),
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
      AS r (line, print, invoice, customer_code, amount_cents, last_four)
  ), twin AS MATERIALIZED (${twinsInVolumes('$1', 'own_row', '')}
  ), seen AS (${seenAmongTwins('false')})
  SELECT line, code, detail FROM seen ORDER BY line`;
