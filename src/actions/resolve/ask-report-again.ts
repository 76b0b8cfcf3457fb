import type { App } from '../../app.ts';
import type { JournalLine, JournalReport } from '../../gateway/answers.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { maskText } from '../../kernel/mask.ts';
import type { ReconciledRow, RowFinding, SentRow } from '../../rows/rows.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import { changeOutcomes } from '../../ledger/row/change-outcomes.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import { readCallInDoubt } from '../../ledger/doubt/in-doubt.ts';
import { readBatches, readSentRows } from '../../ledger/file/read-file.ts';
import { readReportRange, type ReportRange } from '../../ledger/doubt/keep-report.ts';
import type { BatchRow, FileRow } from '../../ledger/engine/records.ts';
import { transact } from '../../ledger/engine/transaction.ts';
import { findInReport } from './match-journal.ts';
import { judgeCover, MOST_DELAY_MS, MOST_SKEW_MS } from './judge-cover.ts';
import { readReportFile, type ReportFile } from './read-report-file.ts';

/** A row that earlier reports lacked and that the newest one shows, or may show, with its present outcome. */
export type ShownRow = { batchNo: number; row: ReconciledRow };

/** Rows of a batch about which the newest report proves nothing, and why. */
export type UnprovenRows = { batchNo: number; lines: readonly number[]; why: string };

export type AskedAgain = {
  /** Lines of rows that the newest report still proves to be not charged. No others may be sent again. */
  lacking: number[];
  shown: ShownRow[];
  unproven: UnprovenRows[];
  /** The report that was read; undefined when none was requested or received. */
  report?: { sha256: string; lines: number };
};

/**
 * Fetches the service's newest report before `not_charged` rows are sent again. Those rows were missing in earlier
 * reports, but the service may have booked them late. Every line with the invoice of a row counts, in any spelling and
 * booked at any time, unless it shows another payment of ours. Changes nothing.
 * @param lines of rows of the file that are `not_charged`
 */
export async function askReportAgain(app: App, file: FileRow, lines: readonly number[]): Promise<AskedAgain> {
  const asked: AskedAgain = { lacking: [], shown: [], unproven: [] };
  const doubted = await findDoubted(app, file, lines);
  if (doubted.length === 0) return asked;
  const newest = await fetchNewest(app, file, doubted);
  if (typeof newest === 'string') {
    return { ...asked, unproven: doubted.map(({ batch, wanted }) => unproven(batch, wanted, newest)) };
  }
  for (const each of doubted) {
    const { shown, absent, why } = await compare(app, newest, each);
    asked.shown.push(...shown);
    if (why === '') asked.lacking.push(...absent);
    else asked.unproven.push(unproven(each.batch, absent, why));
  }
  return { ...asked, report: { sha256: newest.report.sha256, lines: newest.lines.length } };
}

/** A batch with rows to check. */
type Doubted = { batch: BatchRow; sent: readonly SentRow[]; wanted: readonly number[]; range: ReportRange };

async function findDoubted({ ledger }: App, file: FileRow, lines: readonly number[]): Promise<Doubted[]> {
  const left = new Set(lines);
  const found: Doubted[] = [];
  for (const batch of left.size === 0 ? [] : await readBatches(ledger, file.file_id)) {
    if (!lines.some((line) => line >= batch.first_line && line <= batch.last_line)) continue;
    const sent = await readSentRows(ledger, file.file_no, batch);
    const wanted = sent.map(({ line }) => line).filter((line) => left.has(line));
    if (wanted.length > 0)
      found.push({ batch, sent, wanted, range: await readReportRange(ledger, batch, delayOf(file)) });
  }
  return found;
}

function delayOf({ operation }: FileRow): number {
  return operation === 'card' ? 2 * MOST_SKEW_MS : MOST_DELAY_MS;
}

type Newest = { report: ReportFile; lines: readonly JournalLine[] };

const DAY_MS = 86_400_000;

/** @returns the newest report, or why there is none */
async function fetchNewest(app: App, file: FileRow, doubted: readonly Doubted[]): Promise<Newest | string> {
  const { agentCode, server } = app.account(file.account);
  const reports = app.reports(file);
  const range = {
    fromDate: new Date(Math.min(...doubted.map((each) => each.range.from.getTime())) - DAY_MS),
    toDate: new Date(Math.max(...doubted.map((each) => each.range.to.getTime())) + DAY_MS),
  };
  const [approvedList, rejectedList] =
    file.operation === 'card'
      ? (['getCreditCardApprovedDateRangeCSV', 'getCreditCardRejectDateRangeCSV'] as const)
      : (['getACHEFTApprovedDateRangeCSV', 'getACHEFTRejectDateRangeCSV'] as const);
  const approved = await fetchList(() => reports[approvedList](range));
  if (typeof approved === 'string') return approved;
  const report = readReportFile(Buffer.from(approved.csv ?? ''), { agentCode, server, operation: file.operation });
  if (typeof report === 'string') return `the newest report of the service cannot be used: ${report}`;
  const rejected = await fetchList(() => reports[rejectedList](range));
  if (typeof rejected === 'string') return rejected;
  // The processor retries a bank payment that timed out, and the meaning of some codes is unknown.
  const doubtful = rejected.entries.filter(({ outcome }) => outcome === 'unknown');
  return { report, lines: [...report.lines, ...doubtful] };
}

type List = ReturnType<ReturnType<App['reports']>['getCreditCardApprovedDateRangeCSV']>;

async function fetchList(ask: () => List): Promise<JournalReport | string> {
  const answer = await ask();
  const cannot = (why: string) => `the service did not give its newest report: ${maskText(why)}`;
  switch (answer.kind) {
    case 'read':
      return answer.report;
    case 'failed':
      return cannot(answer.errors);
    case 'restricted':
      return cannot(answer.message);
    case 'invalid':
      return cannot(answer.faults.map(({ message }) => message).join(', '));
    case 'not_sent':
      return cannot(answer.why);
  }
}

/** @returns `why` the report proves nothing about its missing rows; empty when it does */
async function compare(
  app: App,
  { report, lines }: Newest,
  { batch, sent, wanted, range }: Doubted,
): Promise<{ shown: ShownRow[]; absent: number[]; why: string }> {
  const { ledger } = app;
  const call = await readCallInDoubt(ledger, { fileId: batch.file_id, batchNo: batch.batch_no });
  const asked = new Set(wanted);
  const findings = await findInReport({ ledger, batch }, sent, lines, call.calledAt);
  const own = findings.filter(({ line }) => asked.has(line));
  const shown = own.flatMap((found) =>
    found.finding === 'absent' ? [] : [{ batchNo: batch.batch_no, row: nowOf(found) }],
  );
  const absent = own.filter(({ finding }) => finding === 'absent').map(({ line }) => line);
  if (absent.length === 0) return { shown, absent, why: '' };
  const cover = await judgeCover({ ledger, batch, gateway: app.gateway(batch) }, report, call);
  if (!cover.covers)
    return { shown, absent, why: `the newest report of the service proves nothing: ${cover.coversNot}` };
  const isOlder = range.readTo !== null && cover.newestAt! < range.readTo;
  return {
    shown,
    absent,
    why: isOlder ? 'the newest report of the service ends before one that was read earlier' : '',
  };
}

/** Returns the present state of a row: its outcome if that is certain, else `unknown`. */
function nowOf({ line, finding, outcome, code, message, authorization }: RowFinding): ReconciledRow {
  if (finding === 'found') return { line, outcome: outcome!, code, message, authorization };
  return { line, outcome: 'unknown', code: null, message, authorization: '' };
}

function unproven({ batch_no: batchNo }: BatchRow, lines: readonly number[], why: string): UnprovenRows {
  return { batchNo, lines, why };
}

/**
 * Records the outcomes of rows that the newest report shows. They were delivered as not charged, so each batch gets a
 * correction, and a correction file.
 */
export async function correctShown(
  app: App,
  file: FileRow,
  { shown, report }: Pick<AskedAgain, 'shown' | 'report'>,
  { actor }: AuditReason,
): Promise<void> {
  if (shown.length === 0) return;
  const at = formatInZone(app.clock.now(), app.account(file.account).timeZone);
  const by = {
    actor,
    reason: 'the newest report of the service shows rows that earlier ones did not',
    source: `report of the service asked for on ${at}`,
    evidence: { report },
  };
  await transact(app.ledger, async (tx) => {
    for (const rows of groupBy(shown, (each) => String(each.batchNo)).values()) {
      const key = { fileId: file.file_id, batchNo: rows[0]!.batchNo };
      await changeOutcomes(
        tx,
        key,
        rows.map(({ row }) => row),
        by,
      );
    }
  });
}
