import type { FolderOperation, Server } from '../../../schemas/operations.ts';
import { splitCells } from '../../csv/read/split-cells.ts';
import { lineSplitter } from '../../csv/read/split-lines.ts';
import { judgeResult } from '../../gateway/reports/make-journal-line.ts';
import { readJournalCsv } from '../../gateway/reports/read-journal-csv.ts';
import type { JournalLine } from '../../gateway/answers.ts';
import { sha256Of } from '../../kernel/hash.ts';

/** A transaction report of the service, reduced to what can be relied on. Holds no whole number. */
export type ReportFile = {
  sha256: string;
  lines: readonly JournalLine[];
  /** The lines of approved or accepted payments of the requested kind. */
  approved: readonly JournalLine[];
  /** Whether it names its account; a report of another account is not accepted. */
  namesAccount: boolean;
};

type About = { agentCode: string; server: Server; operation: FolderOperation };

/** Larger than any report, so that another file cannot fill the memory. */
export const LARGEST_REPORT_BYTES = 50 * 1024 * 1024;

/** @returns the report, or why it cannot be used; the reason quotes nothing from it */
export function readReportFile(bytes: Buffer, about: About): ReportFile | string {
  const text = decode(bytes);
  if (text === undefined) return 'it is not text';
  const lines = readLines(text, about);
  if (typeof lines === 'string') return lines;
  if (lines.length === 0) return 'it has no lines';
  const agents = readAgents(text);
  if (agents?.some((agent) => agent.toLowerCase() !== about.agentCode.toLowerCase()))
    return 'it lists payments of another account';
  const approved = lines.filter((line) => isApproved(line) && isOfKind(line, about.operation));
  return { sha256: sha256Of(bytes), lines, approved, namesAccount: agents !== undefined };
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Windows spreadsheets save this encoding. Every byte is a character in it, so nothing is lost.
    return bytes.includes(0) ? undefined : bytes.toString('latin1');
  }
}

/**
 * Reads the lines. A report does not name its list, and an operator may have combined two. Approvals are clear when it
 * is read as a list of approved payments, and declines when it is read as one of declined payments.
 */
function readLines(text: string, { server, operation }: About): readonly JournalLine[] | string {
  const method = operation === 'card' ? 'card' : 'bank';
  const read = readJournalCsv(text, { row: { method, list: 'approved' }, server });
  if (read.kind === 'unreadable') return read.why;
  const judgeAgain = (line: JournalLine) => judgeResult(line.result, { method, list: 'rejected' });
  return read.entries.map((line) => (line.outcome === 'unknown' ? { ...line, outcome: judgeAgain(line) } : line));
}

const AGENT_TITLES: readonly string[] = ['agent', 'client code'];

/** Returns the accounts that the report names, or undefined when it has no column for them. */
function readAgents(text: string): string[] | undefined {
  const splitter = lineSplitter();
  const lines = splitter.push(text.replace(/^\ufeff/, ''));
  const last = splitter.end();
  const [titles, ...rows] = splitCells((last ? [...lines, last] : lines).filter((line) => line.text.trim() !== ''));
  const at = titles?.cells.findIndex((title) => AGENT_TITLES.includes(title.trim().toLowerCase())) ?? -1;
  if (at < 0) return undefined;
  return [...new Set(rows.map(({ cells }) => (cells[at] ?? '').trim()))];
}

/**
 * Returns every approved or accepted payment of a report, of whichever kind. A line that names no method of payment, as one
 * of a customer code does not, counts as soon as it is one by either reading.
 * @param reports the same report, read for each kind of payment
 */
export function chargedIn(reports: readonly (ReportFile & { operation: FolderOperation })[]): JournalLine[] {
  const count = Math.max(0, ...reports.map(({ lines }) => lines.length));
  return Array.from({ length: count }, (_, place) => {
    const readings = reports.map(({ lines, operation }) => ({ line: lines[place]!, operation }));
    return readings.find(
      ({ line, operation }) => isApproved(line) && (line.paymentMethod === '' || isOfKind(line, operation)),
    )?.line;
  }).filter((line) => line !== undefined);
}

function isApproved({ outcome }: JournalLine): boolean {
  return outcome === 'approved' || outcome === 'accepted';
}

function isOfKind({ paymentMethod }: JournalLine, operation: FolderOperation): boolean {
  if (paymentMethod === '') return false;
  return BANK.test(paymentMethod) === (operation !== 'card');
}

const BANK = /^(?:ACH|ACHEFT|EFT|CHECKING|SAVINGS?)$/i;
