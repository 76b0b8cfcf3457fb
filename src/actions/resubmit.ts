import { createHash } from 'node:crypto';
import type { Outcome } from '../../schemas/lifecycle.ts';
import { columnsOf } from '../../schemas/layouts.ts';
import { NO_RETRY, rejectionOf } from '../../schemas/rejections.ts';
import type { App } from '../app.ts';
import { csvLines } from '../csv/write/write-csv.ts';
import { followUpName, writeDrop } from '../files/write-drop.ts';
import { PipelineError } from '../kernel/errors.ts';
import { shortId } from '../kernel/ids.ts';
import { parseAmount } from '../kernel/money.ts';
import type { AuditReason } from '../ledger/engine/move.ts';
import { isSameMeaning } from '../ledger/merchant/bound-accounts.ts';
import {
  readBarredLines,
  readLackedLines,
  readResubmissions,
  readResubmittedLines,
  recordResubmission,
  type ResubmissionRow,
} from '../ledger/row/resubmissions.ts';
import type { FileRow } from '../ledger/engine/records.ts';
import { type FinishedRow, titlesOf } from '../reconcile/outputs/result-row.ts';
import { finishedPages, finishedRows } from '../../workers/deliver/finished-pages.ts';
import { resultInput } from '../../workers/deliver/result-input.ts';
import { versionOf } from '../../workers/file-profile.ts';
import { folderOf } from '../../workers/open-original.ts';
import { type AskedAgain, askReportAgain, correctShown } from './resolve/ask-report-again.ts';

/** Rows that the operator can select. Without a selection: all of these except those that must never be tried again. */
export const SELECTIONS = {
  declined: 'refused by the service with a code',
  retryable: 'refused with a code that allows sending the same data later',
  'not-sent': 'never sent',
  format: 'the service could not read them',
} as const;
export type Selection = keyof typeof SELECTIONS;

/** Which rows: a selection, or exactly these lines as far as they may go. */
export type Wanted = Selection | ReadonlySet<number>;

/** Rows for the new file, and those that the service's newest report keeps back. Money is integer cents. */
export type ResubmissionPlan = { lines: number[]; cents: number; barred: number; isMove?: boolean } & KeptBack;

/** Rows that earlier reports lacked and that the newest one keeps from being sent again. */
export type KeptBack = Omit<AskedAgain, 'lacking'>;

/**
 * Returns the rows of a finished file that were certainly not charged and may be sent again. Excluded are rows that
 * were resubmitted before or whose code says never to retry. For rows that are `not_charged` because reports lacked
 * them, the service is queried again: they may have been booked since.
 * @param how `mayMove`: also when the folder's account means another merchant by now
 * @throws PipelineError MOVE_REFUSED when its folder would take the rows as something else
 */
export async function planResubmission(
  app: App,
  file: FileRow,
  only?: Wanted,
  how: { mayMove?: boolean } = {},
): Promise<ResubmissionPlan> {
  if (!file.layout) throw new PipelineError('MOVE_REFUSED', `resubmit "${file.file_id}"`, 'its rows could not be read');
  await mustFitFolder(app, file, how);
  const amountAt = columnsOf(file.layout).indexOf('amount');
  const barred = await readBarredLines(app.ledger, file);
  const plan = { lines: [] as number[], cents: 0, barred: 0 };
  const byReport = new Map<number, number>();
  for await (const page of finishedRows(app, file, PRESENT)) {
    for (const { row, cells } of page) {
      if (!isWanted(row, only)) continue;
      const cents = parseAmount((cells[amountAt] ?? '').trim());
      if (barred.has(row.line) || typeof cents !== 'number') {
        plan.barred += 1;
        continue;
      }
      if (isByReport(row)) byReport.set(row.line, cents);
      else plan.cents += cents;
      plan.lines.push(row.line);
    }
  }
  const { lacking, ...keptBack } = await askReportAgain(app, file, [...byReport.keys()]);
  const goes = new Set(lacking);
  return {
    ...plan,
    lines: plan.lines.filter((line) => !byReport.has(line) || goes.has(line)),
    cents: lacking.reduce((sum, line) => sum + byReport.get(line)!, plan.cents),
    ...keptBack,
    ...(how.mayMove === true && { isMove: true }),
  };
}

/**
 * Its folder would refuse rows in another form, and they would wait as resubmitted. And a folder whose account now means
 * another merchant, country or currency would charge them there, which only `move` is to do.
 */
export async function mustFitFolder(app: App, file: FileRow, { mayMove = false } = {}): Promise<void> {
  const { profile, account } = folderOf(app, file.folder, file.file_id);
  const refuse = (reason: string, next: string) => {
    throw new PipelineError('MOVE_REFUSED', `resubmit "${file.file_id}"`, reason, { next });
  };
  const { bound, meanings } = app.ledger;
  const [now, then] = [bound.get(account), meanings.get(file.account)];
  if (!mayMove && !(now && then && isSameMeaning(now, then)))
    refuse(
      `its folder is one of account "${account}", which means another merchant, country or currency than the file was for`,
      'Drop the rows in a folder of the account that they are for.',
    );
  const version = await versionOf(app.ledger.pool, file);
  if (version?.row.name !== profile)
    refuse(
      'its folder has another import profile than the one that read it, or none',
      'Export the rows again from the accounting system and drop them.',
    );
}

/** Returns whether reports decided the row; no row is `not_charged` for any other reason. */
function isByReport({ outcome }: FinishedRow): boolean {
  return outcome === 'not_charged';
}

/** Outcomes with every later change: a row that turned out to be charged must not be sent again. */
const PRESENT = { asOf: {} };

function isWanted(row: FinishedRow, only: Wanted | undefined): boolean {
  if (typeof only === 'object') return only.has(row.line) && isWanted(row, undefined);
  const selection = SELECTION_OF[row.outcome];
  if (selection === undefined) return false;
  const advice = row.outcome === 'declined' && row.code !== null ? rejectionOf(row.code).advice : undefined;
  if (advice !== undefined && NO_RETRY.includes(advice)) return false;
  if (only === 'retryable') return advice === 'later';
  return only === undefined || only === selection;
}

/** Outcomes missing here are never sent again. An invalid row would only be withheld again: it has to be corrected. */
const SELECTION_OF: Partial<Record<Outcome, Selection>> = {
  declined: 'declined',
  format_error: 'format',
  not_sent: 'not-sent',
  not_charged: 'not-sent',
};

/**
 * Writes the planned rows, as they are in the sealed original, to a new payment file in the old file's drop folder. It
 * takes the full path like any other file. The ledger records the rows before the file gets its name. So a crash in
 * between leaves rows that wait for a person, never rows sent twice. Rows that the newest report shows get their
 * outcome first.
 * @param also runs in the transaction that records the rows
 * @returns the new file, or undefined when no row is left for it
 */
export async function resubmitRows(
  app: App,
  file: FileRow,
  plan: ResubmissionPlan,
  because: AuditReason,
  also?: Parameters<typeof recordResubmission>[4],
): Promise<{ name: string; sha256: string } | undefined> {
  await correctShown(app, file, plan, because);
  if (plan.lines.length === 0) return undefined;
  const number = (await readResubmissions(app.ledger, file.file_id)).length + 1;
  const name = followUpName(file.name, shortId(file.file_id), number);
  const content = paymentLines(app, file, new Set(plan.lines));
  const folder = folderOf(app, file.folder, file.file_id);
  const drop = await writeDrop(folder, name, content.lines);
  try {
    const sha256 = content.sha256();
    const reason = plan.report ? { ...because, evidence: { ...because.evidence, report: plan.report } } : because;
    const { lines, cents, isMove = false } = plan;
    const made = { name, account: folder.account, sha256, lines, cents, isMove };
    await recordResubmission(app.ledger, file, made, reason, also);
    await drop.publish();
    return { name, sha256 };
  } finally {
    await drop.discard();
  }
}

/** What the operator sees before the file of an earlier resubmission is dropped again. */
export type AgainPlan = { earlier: ResubmissionRow; lines: readonly number[] } & KeptBack;

/** Decides whether a file may be dropped again, for all its rows together: only the same bytes are accepted. */
export async function planAgain(app: App, file: FileRow, earlier: ResubmissionRow): Promise<AgainPlan> {
  await mustFitFolder(app, file);
  const lines = await readResubmittedLines(app.ledger, earlier.resubmission_no);
  const byReport = await readLackedLines(app.ledger, earlier.resubmission_no);
  const { lacking: _lacking, ...keptBack } = await askReportAgain(app, file, byReport);
  return { earlier, lines, ...keptBack };
}

/**
 * Drops the file of an earlier resubmission that never came back. If both arrive, the second is refused, because it has
 * the same bytes. Where the newest report shows one of its rows, the outcome is corrected instead, and the file is
 * never dropped again.
 * @returns whether it was dropped
 * @throws PipelineError OUTPUT_EXISTS when it still lies in its folder; OUTPUT_MISMATCH when other bytes come out now
 */
export async function dropAgain(app: App, file: FileRow, plan: AgainPlan, because: AuditReason): Promise<boolean> {
  if (plan.shown.length > 0 || plan.unproven.length > 0) {
    await correctShown(app, file, plan, because);
    return false;
  }
  const { earlier } = plan;
  const content = paymentLines(app, file, new Set(plan.lines));
  const drop = await writeDrop(folderOf(app, file.folder, file.file_id), earlier.name, content.lines);
  try {
    if (content.sha256() !== earlier.sha256) throw new PipelineError('OUTPUT_MISMATCH', `drop "${earlier.name}" again`);
    await drop.publish();
  } finally {
    await drop.discard();
  }
  return true;
}

type Content = { lines: AsyncGenerator<string | Buffer>; sha256(): string };

/** Returns the lines of a payment file with some rows of another, and the hash of the lines read so far. */
function paymentLines(app: App, file: FileRow, wanted: ReadonlySet<number>): Content {
  const hash = createHash('sha256');
  async function* counted(): Content['lines'] {
    for await (const text of (file.profile_version === null ? linesInLayout : linesOfSender)(app, file, wanted)) {
      hash.update(text);
      yield text;
    }
  }
  return { lines: counted(), sha256: () => hash.digest('hex') };
}

async function* linesInLayout(app: App, file: FileRow, wanted: ReadonlySet<number>): AsyncGenerator<string> {
  const folder = folderOf(app, file.folder, file.file_id);
  // The reader strips an apostrophe before a formula, so it is written the way users receive it.
  const line = csvLines({ guard: true });
  const amountAt = new Set([columnsOf(file.layout!).indexOf('amount')]);
  // A folder with another character set reads UTF-8 if the file has a byte order mark.
  const mark = folder.charset === 'utf-8' ? '' : '\ufeff';
  if (folder.header !== 'none') yield mark + line(titlesOf(file.layout!));
  else if (mark) yield mark;
  for await (const page of finishedRows(app, file, PRESENT)) {
    const lines = page.filter(({ row }) => wanted.has(row.line)).map(({ cells }) => line(cells, amountAt));
    if (lines.length > 0) yield lines.join('');
  }
}

/** Yields rows in the form in which a profile reads them, as in its retry files. */
async function* linesOfSender(app: App, file: FileRow, wanted: ReadonlySet<number>): AsyncGenerator<Buffer> {
  const { returned } = await resultInput(app, file);
  yield returned!.head;
  for await (const { input, from, rows } of finishedPages(app, file, PRESENT)) {
    for (let place = from; place < from + rows.count; place += 1) {
      if (wanted.has(input.lines[place]!)) yield returned!.row(input, place, AS_DROPPED, 'sent again');
    }
  }
}

const AS_DROPPED = { isValid: true, clear: true };
