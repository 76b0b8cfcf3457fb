import { IS_OPEN } from '../batch/conditions.ts';
import type { BatchKey } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { AttemptRow, BatchRow, FileRow } from '../engine/records.ts';
import { hasInvoiceOf } from '../file/search.ts';
import { readBatchRow } from '../file/read-file.ts';
import { listUndecided, readUnknownRows, type UnknownRow } from './unknown-rows.ts';

/** A call of a batch in doubt, without its worker, which no longer matters. */
export type AttemptInDoubt = Omit<AttemptRow, 'worker'>;

/** Something that came to light after the batch had its verdict. */
export type LateAnswer = { at: Date; reason: string; evidence: Record<string, unknown> };

/** A transaction report that was read for the batch. */
export type ReportNote = {
  name: string;
  at: Date;
  covers: boolean;
  newestAt: Date | null;
  found: number;
  absent: number;
};

/** A batch that the account sent just before or after, with its batch id from the service. */
export type Neighbour = BatchKey & { batchId: string; submittedAt: Date };

/** Everything known about a batch in doubt, or about unknown rows of a finished one. Money is integer cents. */
export type InDoubt = {
  batch: BatchRow;
  file: Pick<FileRow, 'file_id' | 'file_no' | 'name' | 'account' | 'operation' | 'layout'>;
  /** Latest first. */
  attempts: AttemptInDoubt[];
  lateAnswers: LateAnswer[];
  reports: ReportNote[];
  before: Neighbour | undefined;
  after: Neighbour | undefined;
  /** A proposal that awaits a second person. */
  proposal: { proposalNo: number; action: string; madeBy: string } | undefined;
  /** Rows of a finished batch whose outcome is unknown. */
  unknownRows: UnknownRow[];
};

/** Returns every batch in doubt, oldest first, and then every finished batch with undecided rows. */
export async function readInDoubt(ledger: Ledger): Promise<InDoubt[]> {
  const { rows } = await ledger.pool.query<BatchRow>(
    `SELECT * FROM batch WHERE ${IS_OPEN} AND state = 'unknown'
     ORDER BY state_at, file_id, batch_no`,
  );
  const found: InDoubt[] = [];
  for (const batch of rows) found.push(await describeDoubt(ledger, batch));
  for (const key of await listUndecided(ledger.pool)) {
    found.push(await describeDoubt(ledger, await readBatchRow(ledger, key)));
  }
  return found;
}

/** Returns everything known about one such batch. */
export async function describeDoubt(ledger: Ledger, batch: BatchRow): Promise<InDoubt> {
  const ask = async <Row extends object>(sql: string) =>
    (await ledger.pool.query<Row>(sql, [batch.file_id, batch.batch_no])).rows;
  const [file, attempts, lateAnswers, reports, neighbours, [proposal]] = await Promise.all([
    ledger.pool.query<InDoubt['file']>(
      'SELECT file_id, file_no, name, account, operation, layout FROM file WHERE file_id = $1',
      [batch.file_id],
    ),
    ask<AttemptInDoubt>(
      `SELECT attempt, host, request_bytes, started_at, ended_at, verdict, evidence, resolution
       FROM attempt WHERE file_id = $1 AND batch_no = $2 ORDER BY attempt DESC`,
    ),
    // What arrived after another verdict may hold the batch id that the operator needs.
    ask<LateAnswer>(
      `SELECT at, reason, evidence FROM audit
       WHERE file_id = $1 AND batch_no = $2 AND move IN ('late-answer', 'disown') ORDER BY seq`,
    ),
    ask<ReportNote>(
      `SELECT r.name, r.at, r.covers, r.newest_at AS "newestAt",
              count(f.*) FILTER (WHERE f.finding = 'found') AS found,
              count(f.*) FILTER (WHERE f.finding = 'absent') AS absent
       FROM transaction_report r JOIN batch b USING (file_id, batch_no, attempt) LEFT JOIN row_finding f USING (report_no)
       WHERE r.file_id = $1 AND r.batch_no = $2 GROUP BY r.report_no ORDER BY r.report_no`,
    ),
    readNeighbours(ledger, batch),
    ask<NonNullable<InDoubt['proposal']>>(
      `SELECT proposal_no AS "proposalNo", action, made_by AS "madeBy" FROM proposal
       WHERE file_id = $1 AND batch_no = $2 AND verdict IS NULL`,
    ),
  ]);
  const unknownRows =
    batch.state === 'reconciled' ? await readUnknownRows(ledger.pool, file.rows[0]!.file_no, batch.batch_no) : [];
  return { batch, file: file.rows[0]!, attempts, lateAnswers, reports, ...neighbours, proposal, unknownRows };
}

/** Returns the batches of the account that got their ids just before and after this one was sent. */
export async function readNeighbours(ledger: Ledger, batch: BatchRow): Promise<Pick<InDoubt, 'before' | 'after'>> {
  const { calledAt } = await readCallInDoubt(ledger, { fileId: batch.file_id, batchNo: batch.batch_no });
  const [before, after] = await Promise.all([
    readNeighbour(ledger, batch, calledAt, 'before'),
    readNeighbour(ledger, batch, calledAt, 'after'),
  ]);
  return { before, after };
}

/** The last call of a batch. */
export type CallInDoubt = {
  /** When it began by the database clock. For a batch without a recorded call, when it entered its state. */
  calledAt: Date;
  /** Increases with every call of an account; null when only the send journal knew the call. */
  callNo: number | null;
  /** Whether the service's clock was read at the call. */
  isTimed: boolean;
};

export async function readCallInDoubt(ledger: Ledger, { fileId, batchNo }: BatchKey): Promise<CallInDoubt> {
  const { rows } = await ledger.pool.query<CallInDoubt>(
    `SELECT coalesce(a.started_at, b.state_at) AS "calledAt", a.call_no AS "callNo",
            a.service_at IS NOT NULL AS "isTimed"
     FROM batch b LEFT JOIN attempt a USING (file_id, batch_no)
     WHERE b.file_id = $1 AND b.batch_no = $2 ORDER BY a.attempt DESC NULLS LAST LIMIT 1`,
    [fileId, batchNo],
  );
  return rows[0]!;
}

/** Finds the batch of an account by its id from the service. */
export async function findBatchById(
  ledger: Ledger,
  account: string,
  batchId: string,
): Promise<(BatchKey & { name: string }) | undefined> {
  const { rows } = await ledger.pool.query<BatchKey & { name: string }>(
    `SELECT b.file_id AS "fileId", b.batch_no AS "batchNo", f.name FROM batch b JOIN file f USING (file_id)
     WHERE b.merchant_no = (SELECT merchant_of($1)) AND b.batch_id = $2`,
    [account, batchId],
  );
  return rows[0];
}

/** A row that another batch of the account sent at any time. */
export type SentElsewhere = {
  invoice: string;
  customerCode: string;
  amountCents: number;
  lastFour: string;
  /** Name of its file. */
  name: string;
  /** Null while it has none. */
  outcome: string | null;
  authorization: string;
};

/** Finds rows with one of these invoices in other batches of the account, at any time: clocks may be wrong. */
export async function findSentElsewhere(
  ledger: Ledger,
  batch: BatchRow,
  invoices: readonly string[],
): Promise<SentElsewhere[]> {
  const { rows } = await ledger.pool.query<SentElsewhere>(
    `SELECT r.invoice, r.customer_code AS "customerCode", r.amount_cents AS "amountCents", r.last_four AS "lastFour",
            f.name, o.outcome, coalesce(o."authorization", '') AS "authorization"
     FROM payment_row r JOIN file f USING (file_no) LEFT JOIN current_outcome o USING (file_no, line)
     WHERE ${hasInvoiceOf('$1')} AND f.merchant_no = (SELECT merchant_of($2)) AND (f.file_id, r.batch_no) <> ($3, $4)
       AND EXISTS (SELECT 1 FROM attempt a WHERE a.file_id = f.file_id AND a.batch_no = r.batch_no
                     AND a.verdict IS DISTINCT FROM 'not_sent')`,
    [invoices, batch.account, batch.file_id, batch.batch_no],
  );
  return rows;
}

/** A payment known to be charged, and the call that charged it. */
export type KnownCharge = {
  invoice: string;
  customerCode: string;
  amountCents: number;
  callNo: number;
  /** By the database clock. */
  startedAt: Date;
};

/**
 * Finds payments with one of these invoices that the service charged for the account in earlier calls, latest call
 * first. A report that covers the call shows them.
 */
export async function findChargedBefore(
  ledger: Ledger,
  { account, operation }: Pick<BatchRow, 'account' | 'operation'>,
  callNo: number,
  invoices: readonly string[],
): Promise<KnownCharge[]> {
  const { rows } = await ledger.pool.query<KnownCharge>(
    `SELECT r.invoice, r.customer_code AS "customerCode", r.amount_cents AS "amountCents",
            a.call_no AS "callNo", a.started_at AS "startedAt"
     FROM payment_row r JOIN file f USING (file_no)
     JOIN attempt a ON a.file_id = f.file_id AND a.batch_no = r.batch_no AND a.verdict = 'submitted' AND a.call_no < $4
     JOIN current_outcome o USING (file_no, line)
     WHERE ${hasInvoiceOf('$3')} AND f.merchant_no = (SELECT merchant_of($1)) AND f.operation = $2 AND r.invoice <> ''
       AND o.outcome IN ('approved', 'accepted_pending')
     ORDER BY a.call_no DESC`,
    [account, operation, invoices, callNo],
  );
  return rows;
}

/**
 * SQL: the proven difference between the clocks of service and database at a call, in ms. No call takes an hour; a
 * longer one means that a clock was set meanwhile.
 */
const SKEW_MS = `greatest(0, extract(epoch FROM a.service_at - a.ended_at),
                          extract(epoch FROM a.started_at - a.service_at) - 1,
                          extract(epoch FROM a.started_at - a.ended_at),
                          extract(epoch FROM a.ended_at - a.started_at) - 3600)::float8 * 1000`;

/** Returns the largest such difference at calls of an account from this one on, in ms. */
export async function readLargestSkew(ledger: Ledger, account: string, sinceCallNo: number): Promise<number> {
  const { rows } = await ledger.pool.query<{ skewMs: number | null }>(
    `SELECT max(${SKEW_MS}) AS "skewMs" FROM attempt a JOIN batch b USING (file_id, batch_no)
     WHERE b.merchant_no = (SELECT merchant_of($1)) AND a.service_at IS NOT NULL AND a.call_no >= $2`,
    [account, sinceCallNo],
  );
  return rows[0]?.skewMs ?? 0;
}

/** Same for each account, among the last thousand calls. */
export async function readSkews(ledger: Ledger): Promise<{ account: string; skewMs: number }[]> {
  const { rows } = await ledger.pool.query<{ account: string; skewMs: number }>(
    `SELECT b.account, max(${SKEW_MS}) AS "skewMs" FROM attempt a JOIN batch b USING (file_id, batch_no)
     WHERE a.service_at IS NOT NULL AND a.call_no > (SELECT max(call_no) - 1000 FROM attempt)
     GROUP BY b.account ORDER BY b.account`,
  );
  return rows;
}

/**
 * Measures the proven difference between the clocks of service and database now.
 * @param askTime time by the service's clock, in whole seconds
 * @returns also whether the service is ahead; undefined when it does not tell its time
 */
export async function readPresentSkew(
  ledger: Ledger,
  askTime: () => Promise<Date | undefined>,
): Promise<{ serviceAt: Date; skewMs: number; isAhead: boolean } | undefined> {
  const before = await readDatabaseTime(ledger);
  const serviceAt = await askTime();
  const after = await readDatabaseTime(ledger);
  if (!serviceAt) return undefined;
  const [aheadMs, behindMs] = [serviceAt.getTime() - after.getTime(), before.getTime() - serviceAt.getTime() - 1_000];
  return { serviceAt, skewMs: Math.max(0, aheadMs, behindMs), isAhead: aheadMs > behindMs };
}

async function readDatabaseTime({ pool, databaseNow }: Ledger): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>(`SELECT ${databaseNow()} AS now`);
  return rows[0]!.now;
}

async function readNeighbour(
  ledger: Ledger,
  batch: BatchRow,
  calledAt: Date,
  side: 'before' | 'after',
): Promise<Neighbour | undefined> {
  const [compare, order] = side === 'before' ? ['<=', 'DESC'] : ['>', 'ASC'];
  const { rows } = await ledger.pool.query<Neighbour>(
    `SELECT file_id AS "fileId", batch_no AS "batchNo", batch_id AS "batchId", submitted_at AS "submittedAt"
     FROM batch WHERE merchant_no = (SELECT merchant_of($1)) AND batch_id IS NOT NULL AND submitted_at ${compare} $2
     ORDER BY submitted_at ${order} LIMIT 1`,
    [batch.account, calledAt],
  );
  return rows[0];
}
