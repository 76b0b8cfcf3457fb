import type { FolderOperation } from '../../../schemas/operations.ts';
import type { JournalLine } from '../../gateway/reports/report-answers.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { Account } from '../../config/config.ts';
import type { Because } from '../../ledger/engine/move.ts';
import { recallEntries } from '../../ledger/doubt/recall-batch.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { findRowsOf, type RowOfInvoice } from '../../ledger/doubt/rows-of-invoices.ts';
import { readForgottenSends } from '../../ledger/account/read-holds.ts';
import { transact } from '../../ledger/engine/transaction.ts';
import { readReportFile } from './read-report-file.ts';

/** What a report of the service shows that the ledger does not know. Money is integer cents. */
export type AccountComparison = {
  sha256: string;
  /** First and last payment that it shows, by the clock of the service. */
  from: Date | null;
  to: Date | null;
  /** Charged payments in it, and how many of them the ledger sent. */
  charged: number;
  known: number;
  /** Charged payments that nobody here sent: those of calls that were forgotten, or of others with the same agent code. */
  unknown: Pick<JournalLine, 'transactionId' | 'invoice' | 'amountCents' | 'lastFour' | 'at'>[];
  /** Batches that waited and of which the report shows rows; each is in doubt now. */
  inDoubt: { fileId: string; batchNo: number; name: string; rows: number; shown: number }[];
  /** Forgotten calls that nobody has looked at, and those of them that were made before or after what the report shows. */
  calls: { forgotten: number; outside: number };
};

const KINDS: readonly FolderOperation[] = ['card', 'ach-charge'];

/**
 * Compares all that a ledger may have forgotten of an account with one report of the service. A batch that waits and of
 * which the report shows payments is put in doubt, whatever the send journals know. Silence proves nothing here: a report
 * that was cut or filtered shows less.
 * @param bytes the file as it is; nothing in it is trusted
 * @throws PipelineError RESOLUTION_REFUSED when the report cannot be used
 */
export async function reconcileAccount(
  { ledger, name, account }: { ledger: Ledger; name: string; account: Pick<Account, 'agentCode' | 'server'> },
  bytes: Buffer,
  { actor, reason }: Because,
): Promise<AccountComparison> {
  const reports = KINDS.map((operation) => readReportFile(bytes, { ...account, operation }));
  const unusable = reports.find((report) => typeof report === 'string');
  if (unusable !== undefined)
    throw new PipelineError('RESOLUTION_REFUSED', `compare account ${name} with the report`, unusable, {
      next: 'Give the report as the service made it, as CSV.',
    });
  const read = reports.filter((report) => typeof report !== 'string');
  const charged = read.flatMap((report) => report.approved);
  const times = charged.flatMap(({ at }) => (at.utc === null ? [] : [Date.parse(at.utc)]));
  const rows = await findRowsOf(ledger, name, [...new Set(charged.map(({ invoice }) => invoice))]);
  const { known, unknown, waiting } = explain(charged, rows);
  const sends = (await readForgottenSends(ledger, name)).filter(({ acknowledgedAt }) => acknowledgedAt === null);
  const [from, to] = times.length === 0 ? [null, null] : [new Date(Math.min(...times)), new Date(Math.max(...times))];
  const comparison: AccountComparison = {
    sha256: read[0]!.sha256,
    from,
    to,
    charged: charged.length,
    known,
    unknown: unknown.map(({ transactionId, invoice, amountCents, lastFour, at }) => ({
      transactionId,
      invoice,
      amountCents,
      lastFour,
      at,
    })),
    inDoubt: countByBatch(waiting),
    calls: {
      forgotten: sends.length,
      outside: sends.filter(({ at }) => from === null || to === null || at < from || at > to).length,
    },
  };
  await writeDown(ledger, name, comparison, waiting, { actor, reason });
  return comparison;
}

/**
 * Of payments that are alike each row that was sent explains one line. Of what is left a row that waits may be the one that
 * was charged; if there is none, nobody here knows it.
 */
function explain(lines: readonly JournalLine[], rows: readonly RowOfInvoice[]) {
  const unknown: JournalLine[] = [];
  const waiting: RowOfInvoice[] = [];
  let known = 0;
  for (const alike of groupBy(lines, identityOf).values()) {
    const own = rows.filter((row) => isSame(row, alike[0]!));
    const surplus = alike.slice(own.filter(({ wasSent }) => wasSent).length);
    known += alike.length - surplus.length;
    const waits = own.filter(({ isWaiting }) => isWaiting);
    // Of rows that are alike any may be the one, so none may leave.
    if (surplus.length > 0) waiting.push(...waits);
    unknown.push(...surplus.slice(waits.length));
  }
  return { known, unknown, waiting };
}

function identityOf({ invoice, amountCents, customerCode, lastFour }: JournalLine): string {
  return JSON.stringify([invoice, amountCents, customerCode, lastFour]);
}

/** Reports of a range show no numbers. */
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

async function writeDown(
  ledger: Ledger,
  account: string,
  { sha256, charged, known, unknown, calls, inDoubt }: AccountComparison,
  waiting: readonly RowOfInvoice[],
  { actor, reason }: Because,
): Promise<void> {
  await transact(ledger, async (tx) => {
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
    const evidence = { account, sha256, charged, known, unknown: unknown.length, calls, inDoubt };
    tx.audit({ actor, move: 'reconcile-account', reason, evidence });
  });
}
