import { sha256Of } from '../../kernel/hash.ts';
import { maskName } from '../../kernel/mask.ts';
import type { RowFinding } from '../../rows/rows.ts';
import { decideOpenRows, type DecidedRows, readUnknownRows } from '../../ledger/doubt/unknown-rows.ts';
import { countFindings, keepReport, type NewReport } from '../../ledger/doubt/keep-report.ts';
import { readCallInDoubt } from '../../ledger/doubt/in-doubt.ts';
import { readSentRows } from '../../ledger/file/read-file.ts';
import { type Transaction, transact } from '../../ledger/engine/transaction.ts';
import { allKnown, type CarriedOut, carryOut, mustBeIn, refuse, tryOut } from './carry-out.ts';
import type { ResolutionContext } from './resolution-context.ts';
import { findInReport } from './match-journal.ts';
import { type Cover, judgeCover } from './judge-cover.ts';
import { readReportFile, type ReportFile } from './read-report-file.ts';

/** Result of reading a report. `kept`: it decided nothing yet, so its findings were only stored. */
export type JournalReading = {
  /** Whether the batch was finished before; then only its rows with the outcome unknown count here. */
  isFinished: boolean;
  outcome: CarriedOut | { result: 'kept' };
  counts: Record<RowFinding['finding'], number>;
  /** Ambiguous rows, with the reason, by line. */
  ambiguous: { line: number; why: string }[];
  report: Cover & { sha256: string; lines: number };
  /** Number of rows now certain, and lines of those that are not. */
  certain: number;
  uncertain: number[];
};

/**
 * Reads the service's transaction report for a batch in doubt. Rows that it shows get its outcome. Rows missing in two
 * reports, the second long after the first, were never charged. The batch is settled once nothing is in doubt; until
 * then the findings are kept for the next report. Unknown rows of a finished batch are decided one by one.
 * @param given the file as it is; nothing in it is trusted
 * @throws PipelineError MOVE_REFUSED, or RESOLUTION_REFUSED when the report cannot be used
 */
export async function readJournal(
  context: ResolutionContext,
  given: { name: string; bytes: Buffer; reason: string },
): Promise<JournalReading> {
  mustBeIn(context, ACTION, 'unknown', 'reconciled');
  const isOpen = await openRowsOf(context);
  const { ledger, file, batch, account } = context;
  const key = { fileId: file.file_id, batchNo: batch.batch_no };
  const call = await readCallInDoubt(ledger, key);
  const { agentCode, server, resolveWaitMs: waitMs } = account;
  const report = readReportFile(given.bytes, { agentCode, server, operation: batch.operation });
  if (typeof report === 'string')
    throw refuse(context, ACTION, report, 'Give the report as CSV, unchanged as the service made it.');
  const sent = await readSentRows(ledger, file.file_no, batch);
  const all = await findInReport(context, sent, report.lines, call.calledAt);
  const findings = all.filter(isOpen);
  const cover = await judgeCover(context, report, call);
  const kept = keptReport(context, given, report, cover, all);
  const because = { actor: context.actor, reason: given.reason };
  const keep = async (tx: Transaction) => void (await keepReport(tx, key, kept, because));

  const { certain, uncertain, isFinished } = await preview(context, keep, waitMs);
  const outcome = (isFinished ? certain.length > 0 : uncertain.length === 0)
    ? await carryOut(context, 'journal', { reason: given.reason, evidence: { waitMs, sha256: report.sha256 } }, keep)
    : await keepOnly(context, keep);
  return {
    isFinished,
    outcome,
    counts: countFindings(findings),
    ambiguous: findings
      .filter((row) => row.finding === 'ambiguous')
      .map(({ line, message }) => ({ line, why: message })),
    report: { ...cover, sha256: report.sha256, lines: report.lines.length },
    certain: certain.length,
    uncertain,
  };
}

const ACTION = 'read a report for';

/**
 * Returns whether a row has no known outcome yet.
 * @throws PipelineError MOVE_REFUSED for a finished batch in which every row has one
 */
async function openRowsOf(context: ResolutionContext): Promise<(row: { line: number }) => boolean> {
  const { ledger, file, batch } = context;
  if (batch.state !== 'reconciled') return () => true;
  const unknown = await readUnknownRows(ledger.pool, file.file_no, batch.batch_no);
  if (unknown.length === 0) throw allKnown(context, ACTION);
  const lines = new Set(unknown.map(({ line }) => line));
  return ({ line }) => lines.has(line);
}

function keptReport(
  { batch }: ResolutionContext,
  { name, bytes }: { name: string; bytes: Buffer },
  { lines }: ReportFile,
  { oldestAt, newestAt, covers }: Cover,
  findings: readonly RowFinding[],
): NewReport {
  return {
    attempt: batch.attempt,
    name: maskName(name),
    sha256: sha256Of(bytes),
    lines: lines.length,
    oldestAt,
    newestAt,
    covers,
    findings,
  };
}

/** Previews what the ledger will decide about the rows once it knows this report too. */
async function preview(
  context: ResolutionContext,
  keep: (tx: Transaction) => Promise<void>,
  waitMs: number,
): Promise<DecidedRows> {
  const key = { fileId: context.file.file_id, batchNo: context.batch.batch_no };
  return transact(context.ledger, async (tx) => {
    let decided: DecidedRows = { certain: [], uncertain: [], isFinished: false };
    await tryOut(tx, async (trial) => {
      await keep(trial);
      decided = await decideOpenRows(trial, key, waitMs);
    });
    return decided;
  });
}

async function keepOnly(
  context: ResolutionContext,
  keep: (tx: Transaction) => Promise<void>,
): Promise<CarriedOut | { result: 'kept' }> {
  if (context.dryRun) return { result: 'dry-run' };
  await transact(context.ledger, keep);
  return { result: 'kept' };
}
