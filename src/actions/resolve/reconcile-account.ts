import type { FolderOperation } from '../../../schemas/operations.ts';
import type { JournalLine } from '../../gateway/answers.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { Account } from '../../config/config.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import { recallEntries } from '../../ledger/doubt/recall-batch.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { findRowsOf, type RowOfInvoice } from '../../ledger/doubt/find-batches-holding.ts';
import { findArchivedInvoices } from '../../ledger/retention/archived-rows.ts';
import { readForgottenSends } from '../../ledger/account/read-holds.ts';
import { noteCovered } from '../../ledger/doubt/compare-forgotten.ts';
import { addForgottenRows, readForgotten } from '../../ledger/duplicates/find-forgotten-rows.ts';
import { transact } from '../../ledger/engine/transaction.ts';
import { type Bound, boundOf, stillBound } from '../../ledger/merchant/bound-accounts.ts';
import { ask } from '../../ledger/engine/ask.ts';
import type { Fingerprinter } from '../../crypto/fingerprints/fingerprint.ts';
import { fingerprintKey, RowFingerprints, withoutPayer } from '../../crypto/fingerprints/row-fingerprint.ts';
import { chargedIn, readReportFile } from './read-report-file.ts';

/** What a report of the service shows that the ledger does not know. Money is integer cents. */
export type AccountComparison = {
  sha256: string;
  /** First and last payment in the report, by the service's clock. */
  from: Date | null;
  to: Date | null;
  /** Charged payments in it, and how many of them the ledger sent. */
  charged: number;
  known: number;
  /** Charged payments not sent from here: forgotten calls, or other users of the same agent code. */
  unknown: Pick<JournalLine, 'transactionId' | 'invoice' | 'amountCents' | 'lastFour' | 'at'>[];
  /** How many of the unknown have an invoice of an archived row. Only the archive can show whether it is that row. */
  archived: number;
  /** Waiting batches with rows in the report; each is in doubt now. */
  inDoubt: { fileId: string; batchNo: number; name: string; rows: number; shown: number }[];
  /**
   * Forgotten calls not yet acknowledged, and how many of them fall outside the report's time range. `unknown`: calls
   * whose rows still nobody knows; until then every file of the account needs approval.
   */
  calls: { forgotten: number; outside: number; unknown: number };
};

const KINDS: readonly FolderOperation[] = ['card', 'ach-charge'];

/**
 * Compares everything that a ledger may have forgotten about an account with one report of the service. A waiting batch
 * with payments in the report is put in doubt, whatever the send journals know. Silence proves nothing here, because a
 * report may be cut or filtered. Payments that nothing here has sent are kept as fingerprints, so that a file which
 * holds them is noticed. A call counts as known from then on if the report covers it.
 * @param bytes the file as it is; nothing in it is trusted
 * @throws PipelineError RESOLUTION_REFUSED when the report cannot be used, or MERCHANT_CHANGED
 */
export async function reconcileAccount(
  {
    ledger,
    name,
    account,
    fingerprint,
  }: {
    ledger: Ledger;
    name: string;
    account: Pick<Account, 'agentCode' | 'server'>;
    fingerprint: Fingerprinter;
  },
  bytes: Buffer,
  { actor, reason }: AuditReason,
): Promise<AccountComparison> {
  // The report is of the merchant of the configuration; what the ledger may have forgotten of another stays open.
  const bound = boundOf(ledger, name);
  const reports = KINDS.map((operation) => ({
    operation,
    report: readReportFile(bytes, { ...account, operation }),
  }));
  const unusable = reports.map(({ report }) => report).find((report) => typeof report === 'string');
  if (unusable !== undefined)
    throw new PipelineError('RESOLUTION_REFUSED', `compare account ${name} with the report`, unusable, {
      next: 'Give the report as CSV, unchanged as the service made it.',
    });
  const read = reports.flatMap(({ operation, report }) =>
    typeof report === 'string' ? [] : [{ ...report, operation }],
  );
  const charged = chargedIn(read);
  const times = charged.flatMap(({ at }) => (at.utc === null ? [] : [Date.parse(at.utc)]));
  const rows = await findRowsOf(ledger, name, [...new Set(charged.map(({ invoice }) => invoice))]);
  const { known, unknown, waiting } = explain(charged, rows);
  const archived = await findArchivedInvoices(ledger, name, [...new Set(unknown.map(({ invoice }) => invoice))]);
  const sends = (await readForgottenSends(ledger, name)).filter(({ acknowledgedAt }) => acknowledgedAt === null);
  const [from, to] = times.length === 0 ? [null, null] : [new Date(Math.min(...times)), new Date(Math.max(...times))];
  const comparison: AccountComparison = {
    sha256: read[0]!.sha256,
    from,
    to,
    charged: charged.length,
    known: known.length,
    unknown: unknown.map(({ transactionId, invoice, amountCents, lastFour, at }) => ({
      transactionId,
      invoice,
      amountCents,
      lastFour,
      at,
    })),
    archived: unknown.filter(({ invoice }) => archived.has(invoice)).length,
    inDoubt: countByBatch(waiting),
    calls: {
      forgotten: sends.length,
      outside: sends.filter(({ at }) => from === null || to === null || at < from || at > to).length,
      unknown: 0,
    },
  };
  const marks = markPayments(fingerprint, bound, unknown);
  const own = [...known, ...unknown.filter(({ invoice }) => archived.has(invoice))];
  const strange = unknown.filter(({ invoice }) => !archived.has(invoice));
  const showsUnknown = strange.length > 0 && (await reachesBack(ledger, bound, own, strange));
  await writeDown(ledger, name, { comparison, waiting, marks, showsUnknown }, { actor, reason });
  const { unknown: left } = await readForgotten(ledger.pool, name);
  return { ...comparison, calls: { ...comparison.calls, unknown: left } };
}

/**
 * Returns whether a report begins before the payments that nothing here knows: with one of the same kind that the ledger
 * sent. A report that was cut shows some payments of the lost calls and not the others. Of a kind of which the ledger never
 * had a charged payment, there is no such line.
 */
async function reachesBack(
  { pool }: Ledger,
  { merchantNo }: Bound,
  own: readonly JournalLine[],
  strange: readonly JournalLine[],
): Promise<boolean> {
  const isBank = ({ outcome }: JournalLine) => outcome === 'accepted';
  for (const kind of [true, false]) {
    const from = firstOf(
      strange.filter((line) => isBank(line) === kind),
      -Infinity,
    );
    if (from === undefined) continue;
    const begins = firstOf(
      own.filter((line) => isBank(line) === kind),
      Infinity,
    );
    if (begins !== undefined && begins <= from) continue;
    const { rowCount } = await pool.query(
      `SELECT FROM batch b JOIN file f USING (file_id) JOIN batch_outcome o ON o.file_no = f.file_no AND o.batch_no = b.batch_no
       WHERE b.merchant_no = $1 AND o.outcome = $2 LIMIT 1`,
      [merchantNo, kind ? 'accepted_pending' : 'approved'],
    );
    if (rowCount !== 0) return false;
  }
  return true;
}

/** @returns the earliest time of these lines, in ms; a line whose time cannot be read counts as `unreadable` */
function firstOf(lines: readonly JournalLine[], unreadable: number): number | undefined {
  if (lines.length === 0) return undefined;
  return lines.reduce((first, { at }) => Math.min(first, at.utc === null ? unreadable : Date.parse(at.utc)), Infinity);
}

/**
 * Matches lines with rows. Among identical payments each sent row explains one line. A waiting row may account for a
 * remaining line; without one, the payment is unknown here.
 */
function explain(lines: readonly JournalLine[], rows: readonly RowOfInvoice[]) {
  const unknown: JournalLine[] = [];
  const waiting: RowOfInvoice[] = [];
  const known: JournalLine[] = [];
  for (const alike of groupBy(lines, identityOf).values()) {
    const own = rows.filter((row) => isSame(row, alike[0]!));
    const sent = own.filter(({ wasSent }) => wasSent).length;
    const surplus = alike.slice(sent);
    known.push(...alike.slice(0, sent));
    const waits = own.filter(({ isWaiting }) => isWaiting);
    // Any of the identical rows may be the charged one, so none may leave.
    if (surplus.length > 0) waiting.push(...waits);
    unknown.push(...surplus.slice(waits.length));
  }
  return { known, unknown, waiting };
}

function identityOf({ invoice, amountCents, customerCode, lastFour }: JournalLine): string {
  return JSON.stringify([invoice, amountCents, customerCode, lastFour]);
}

/** Returns whether row and line may be the same payment. Date range reports show no numbers. */
function isSame(row: RowOfInvoice, line: JournalLine): boolean {
  if (row.invoice !== line.invoice || row.amountCents !== line.amountCents) return false;
  if (row.customerCode !== line.customerCode) return false;
  return line.lastFour === '' || line.lastFour.endsWith(row.lastFour);
}

function countByBatch(rows: readonly RowOfInvoice[]): AccountComparison['inDoubt'] {
  return [...groupBy(rows, ({ fileId, batchNo }) => `${fileId}/${batchNo}`).values()].map((own) => {
    const { fileId, batchNo, name, batchRows } = own[0]!;
    return { fileId, batchNo, name, rows: batchRows, shown: own.length };
  });
}

/** A report does not show who pays, or only the end of a number. So invoice and amount alone count. */
function markPayments(fingerprint: Fingerprinter, { agentMark }: Bound, lines: readonly JournalLine[]): Buffer {
  const fingerprints = new RowFingerprints(fingerprintKey(fingerprint, agentMark, KINDS[0]!));
  for (const { invoice, amountCents } of lines) {
    if (amountCents === null) continue;
    const bytes = Buffer.from(invoice);
    const payment = [bytes, 0, bytes.length, bytes.length, bytes.length, amountCents, 'customerCode'] as const;
    fingerprints.add(...payment);
    fingerprints.addTurned(...payment);
  }
  return withoutPayer(fingerprints.take());
}

async function writeDown(
  ledger: Ledger,
  account: string,
  {
    comparison: { sha256, from, to, charged, known, unknown, calls, inDoubt },
    waiting,
    marks,
    showsUnknown,
  }: {
    comparison: AccountComparison;
    waiting: readonly RowOfInvoice[];
    marks: Buffer;
    showsUnknown: boolean;
  },
  { actor, reason }: AuditReason,
): Promise<void> {
  await transact(ledger, async (tx) => {
    await ask(tx.client, stillBound(ledger, [account]));
    const batches = [...groupBy(waiting, ({ fileId, batchNo }) => `${fileId}/${batchNo}`).values()].map(
      ([row]) => row!,
    );
    const at = tx.at.toISOString();
    await recallEntries(
      tx,
      batches.map(({ fileId, batchNo, attempt, sha256: body }) => ({
        at,
        account,
        fileId,
        batchNo,
        attempt: attempt + 1,
        sha256: body,
      })),
      'report of the service',
    );
    await addForgottenRows(tx.client, { merchantNo: boundOf(ledger, account).merchantNo, at: tx.at }, marks);
    if (from && to) await noteCovered(tx, { account, from, to, showsUnknown });
    const evidence = { account, sha256, charged, known, unknown: unknown.length, calls, inDoubt };
    tx.audit({ actor, move: 'reconcile-account', reason, evidence });
  });
}
