import type { FaultCode } from '../../../schemas/errors.ts';
import type { BatchState, FileState, Outcome } from '../../../schemas/lifecycle.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { AuditRow } from '../file/search.ts';

/** Names one row of one file. */
export type RowPlace = { readonly fileId: string; readonly line: number };

/** What is known of a row at some time. */
export type RowOutcome = { outcome: Outcome; code: number | null; message: string; authorization: string };

/** A later outcome of a row, and from where it is known. */
export type RowChange = RowOutcome & { at: Date; source: string };

/** A move of a file or of the batch of a row. */
export type TryLink = Pick<AuditRow, 'at' | 'actor' | 'batch_no' | 'move' | 'reason'>;

/** The file by which a row was sent again. It has no id before it has come through its folder. */
export type SentAgain = {
  name: string;
  actor: string;
  reason: string;
  at: Date;
  newFileId: string | null;
  /** Number of the run that did it; null where a person did. */
  runNo: number | null;
};

/** One try of a payment: a row of a file, and all that happened to it. Money is integer cents. */
export type PaymentTry = {
  fileId: string;
  name: string;
  account: string;
  operation: FolderOperation;
  fileState: FileState;
  fileStateAt: Date;
  claimedAt: Date;
  /** Who uploaded the file on the dashboard, as in the audit trail. */
  uploadedBy: string | null;
  line: number;
  invoice: string;
  customerCode: string;
  /** Null where the amount cannot be read. */
  cents: number | null;
  lastFour: string;
  batchNo: number | null;
  batchState: BatchState | null;
  batchStateAt: Date | null;
  batchId: string | null;
  /** When its batch got its first outcomes. */
  finalAt: Date | null;
  first: RowOutcome | null;
  /** Of a row whose outcome is unknown: whether a person closed it. Otherwise null. */
  isClosed: boolean | null;
  changes: RowChange[];
  links: TryLink[];
  faults: { code: FaultCode; detail: string | null }[];
  again: SentAgain | null;
};

/** A payment: its tries from the first to the last, and which of them was asked for. */
export type Payment = {
  readonly tries: readonly PaymentTry[];
  readonly at: number;
  /** Whether there are more tries before or after these. */
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
};

type Row = { readonly fileNo: number; readonly line: number };

/** Most tries to follow in each direction. */
const MOST_HOPS = 10;

/**
 * Reads a payment over all its tries. Every query takes an index, so the size of the ledger and of its files does not
 * matter.
 * @param moves of files and batches that are wanted; others are left out
 * @throws PipelineError NOT_FOUND when the ledger has no such row
 */
export async function readPayment(ledger: Ledger, place: RowPlace, moves: readonly string[]): Promise<Payment> {
  const start = await findRow(ledger, place);
  const [earlier, later] = await Promise.all([walk(ledger, start, EARLIER), walk(ledger, start, LATER)]);
  const before = earlier.slice(0, MOST_HOPS).toReversed();
  return {
    tries: await readTries(ledger, [...before, start, ...later.slice(0, MOST_HOPS)], moves),
    at: before.length,
    hasEarlier: earlier.length > MOST_HOPS,
    hasLater: later.length > MOST_HOPS,
  };
}

async function findRow({ pool }: Ledger, { fileId, line }: RowPlace): Promise<Row> {
  const { rows } = await pool.query<Row & { isArchived: boolean }>(
    `SELECT f.file_no AS "fileNo", coalesce(r.line, $2) AS line, f.archive_no IS NOT NULL AS "isArchived"
     FROM file f LEFT JOIN LATERAL (
       SELECT line FROM payment_row r WHERE r.file_no = f.file_no AND r.line = $2 OFFSET 0) r ON true
     WHERE f.file_id = $1 AND (r.line IS NOT NULL OR f.archive_no IS NOT NULL)`,
    [fileId, line],
  );
  if (rows[0]?.isArchived)
    throw new PipelineError('NOT_FOUND', `find line ${line} of file "${fileId}"`, 'its rows are archived', {
      next: `"paydrop why ${fileId}" says where they are.`,
    });
  // A card number can look like an id.
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find line ${line} of file "${maskText(fileId)}"`);
  return rows[0];
}

/** Follows the tries in one direction; one more than shown says that there are more. */
async function walk({ pool }: Ledger, start: Row, sql: string): Promise<Row[]> {
  const found: Row[] = [];
  for (let here: Row | undefined = start; here && found.length <= MOST_HOPS; ) {
    const { rows }: { rows: Row[] } = await pool.query<Row>(sql, [here.fileNo, here.line]);
    here = rows[0];
    if (here) found.push(here);
  }
  return found;
}

/** SQL: the row in question. It is read first: looked up by its invoice, it may be one of a million. */
const HERE = '(SELECT * FROM payment_row WHERE file_no = $1 AND line = $2 OFFSET 0) here';

/** SQL: the lines of file `f`. They follow each other without a gap, unless a cell has several lines. */
const LINES_OF_F = `CROSS JOIN LATERAL (
  SELECT min(line) AS first, max(line) - min(line) + 1 = f.records AS is_dense FROM payment_row WHERE file_no = f.file_no) d`;

/** SQL: the row `there` has the same payment. In a file that was read in another way it has not. */
const IS_SAME = 'there.invoice = here.invoice AND there.amount_cents IS NOT DISTINCT FROM here.amount_cents';

const EARLIER = `
  SELECT there.file_no AS "fileNo", there.line FROM ${HERE} JOIN file f USING (file_no) ${LINES_OF_F}
    JOIN resubmission s ON s.new_file_id = f.file_id
    JOIN file old ON old.file_id = s.file_id
    CROSS JOIN LATERAL (SELECT line FROM resubmitted_row x WHERE x.resubmission_no = s.resubmission_no
      AND x.place = CASE WHEN d.is_dense THEN here.line - d.first + 1
        ELSE (SELECT count(*)::integer FROM payment_row p WHERE p.file_no = f.file_no AND p.line <= here.line) END OFFSET 0) x
    CROSS JOIN LATERAL (SELECT * FROM payment_row p WHERE p.file_no = old.file_no AND p.line = x.line OFFSET 0) there
  WHERE ${IS_SAME} LIMIT 1`;

const LATER = `
  SELECT there.file_no AS "fileNo", there.line FROM ${HERE}
    JOIN resubmitted_row x USING (file_no, line)
    JOIN resubmission s USING (resubmission_no)
    JOIN file f ON f.file_id = s.new_file_id ${LINES_OF_F}
    CROSS JOIN LATERAL (SELECT * FROM payment_row p
      WHERE p.file_no = f.file_no AND p.line >= CASE WHEN d.is_dense THEN d.first + x.place - 1 ELSE 0 END
      ORDER BY p.line LIMIT 1 OFFSET CASE WHEN d.is_dense THEN 0 ELSE x.place - 1 END) there
  WHERE ${IS_SAME}`;

type OfTry<Found> = Found & { n: number };

async function readTries({ pool }: Ledger, places: readonly Row[], moves: readonly string[]): Promise<PaymentTry[]> {
  const asked = [places.map(({ fileNo }) => fileNo), places.map(({ line }) => line)];
  const [rows, again, changes, links, faults] = await Promise.all([
    pool.query<OfTry<Omit<PaymentTry, 'again' | 'changes' | 'links' | 'faults'>>>(TRIES, asked),
    pool.query<OfTry<SentAgain>>(AGAIN, asked),
    pool.query<OfTry<RowChange>>(CHANGES, asked),
    pool.query<OfTry<TryLink>>(LINKS, [...asked, moves]),
    pool.query<OfTry<PaymentTry['faults'][number]>>(FAULTS, asked),
  ]);
  return rows.rows.map(({ n, ...row }) => ({
    ...row,
    again: partOf(again.rows, n)[0] ?? null,
    changes: partOf(changes.rows, n),
    links: partOf(links.rows, n),
    faults: partOf(faults.rows, n),
  }));
}

function partOf<Found extends { n: number }>(all: readonly Found[], wanted: number): Omit<Found, 'n'>[] {
  return all.filter(({ n }) => n === wanted).map(({ n: _n, ...one }) => one);
}

/** SQL: the rows that are asked for, in their order. Each is then looked up for itself. */
const ASKED = `unnest($1::bigint[], $2::integer[]) WITH ORDINALITY AS asked (file_no, line, n)
  CROSS JOIN LATERAL (SELECT * FROM file WHERE file.file_no = asked.file_no OFFSET 0) f
  CROSS JOIN LATERAL (SELECT * FROM payment_row x WHERE x.file_no = asked.file_no AND x.line = asked.line OFFSET 0) r`;

const TRIES = `
  SELECT asked.n, f.file_id AS "fileId", f.name, f.account, f.operation, f.state AS "fileState",
         f.state_at AS "fileStateAt", f.claimed_at AS "claimedAt",
         (SELECT actor FROM upload u WHERE u.file_id = f.file_id LIMIT 1) AS "uploadedBy", r.line, r.invoice,
         r.customer_code AS "customerCode", r.amount_cents AS cents, r.last_four AS "lastFour", r.batch_no AS "batchNo",
         b.state AS "batchState", b.state_at AS "batchStateAt", b.batch_id AS "batchId", b.final_at AS "finalAt",
         CASE WHEN o.line IS NOT NULL THEN json_build_object('outcome', o.outcome, 'code', o.code, 'message', o.message,
           'authorization', o."authorization") END AS first,
         (SELECT is_closed FROM unknown_row u WHERE u.file_no = r.file_no AND u.line = r.line) AS "isClosed"
  FROM ${ASKED}
    LEFT JOIN LATERAL (SELECT * FROM batch x WHERE x.file_id = f.file_id AND x.batch_no = r.batch_no OFFSET 0) b ON true
    LEFT JOIN LATERAL (SELECT * FROM row_outcome x WHERE x.file_no = r.file_no AND x.line = r.line OFFSET 0) o ON true
  ORDER BY asked.n`;

const AGAIN = `
  SELECT asked.n, s.name, s.actor, s.reason, s.at, s.new_file_id AS "newFileId",
         (SELECT run_no FROM reprocess_item i WHERE i.resubmission_no = s.resubmission_no AND i.action = 'resubmit') AS "runNo"
  FROM ${ASKED}
    JOIN resubmitted_row x ON x.file_no = r.file_no AND x.line = r.line
    JOIN resubmission s USING (resubmission_no)`;

const CHANGES = `
  SELECT asked.n, c.at, c.source, c.outcome, c.code, c.message, c."authorization" FROM ${ASKED}
    CROSS JOIN LATERAL (SELECT * FROM row_change x WHERE x.file_no = r.file_no AND x.line = r.line
                        ORDER BY x.correction_no LIMIT 50) c
  ORDER BY asked.n, c.correction_no`;

/** The expression keeps PostgreSQL from the index of all moves. */
const LINKS = `
  SELECT asked.n, a.at, a.actor, a.batch_no, a.move, a.reason FROM ${ASKED}
    CROSS JOIN LATERAL (SELECT * FROM audit x WHERE x.file_id = f.file_id AND (x.batch_no IS NULL OR x.batch_no = r.batch_no)
                          AND x.move || '' = ANY ($3) ORDER BY x.seq LIMIT 100) a
  ORDER BY asked.n, a.seq`;

const FAULTS = `
  SELECT asked.n, d.code, d.detail FROM ${ASKED}
    CROSS JOIN LATERAL (SELECT * FROM row_fault x WHERE x.file_no = r.file_no AND x.line = r.line ORDER BY x.seq LIMIT 10) d
  ORDER BY asked.n, d.seq`;

/** Another row with the invoice of a payment. Money is integer cents. */
export type SameInvoice = Pick<PaymentTry, 'fileId' | 'name' | 'line' | 'cents' | 'batchState' | 'claimedAt'> & {
  outcome: Outcome | null;
};

/** Rows with an invoice that are looked at; a sender may use one for everything. */
const MOST_LOOKED = 1_000;

/** Returns the newest other rows of its merchant that have the invoice of a payment, at most 10. */
export async function listSameInvoice({ pool }: Ledger, { tries }: Pick<Payment, 'tries'>): Promise<SameInvoice[]> {
  const [{ invoice, account }] = tries as [PaymentTry];
  if (invoice === '') return [];
  const { rows } = await pool.query<SameInvoice>(
    `SELECT c."fileId", c.name, c.line, c.cents, c."claimedAt", o.outcome, b.state AS "batchState" FROM (
       SELECT f.file_no, f.file_id AS "fileId", f.name, f.claimed_at AS "claimedAt", r.line, r.amount_cents AS cents, r.batch_no
       FROM (SELECT * FROM payment_row WHERE lower(invoice) = lower($1) AND invoice = $1 LIMIT ${MOST_LOOKED}) r
         CROSS JOIN LATERAL (SELECT * FROM file WHERE file.file_no = r.file_no OFFSET 0) f
       WHERE f.merchant_no = (SELECT merchant_of($2)) AND (f.file_id, r.line) NOT IN (SELECT * FROM unnest($3::text[], $4::integer[]))
       ORDER BY f.file_no DESC, r.line LIMIT 10) c
     LEFT JOIN LATERAL (SELECT * FROM current_outcome x WHERE x.file_no = c.file_no AND x.line = c.line OFFSET 0) o ON true
     LEFT JOIN LATERAL (SELECT * FROM batch x WHERE x.file_id = c."fileId" AND x.batch_no = c.batch_no OFFSET 0) b ON true
     ORDER BY c.file_no DESC, c.line`,
    [invoice, account, tries.map(({ fileId }) => fileId), tries.map(({ line }) => line)],
  );
  return rows;
}
