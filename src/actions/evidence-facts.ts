import { ERRORS, saidCode } from '../../schemas/errors.ts';
import { capital } from '../explain/why/sentence.ts';
import { groupDigits, groupedCount } from '../kernel/counted.ts';
import { formatCents } from '../kernel/money.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import type { FileRow } from '../ledger/engine/records.ts';
import type { ProposedVersion } from '../ledger/profile/move-profile.ts';
import { type FaultCount, readFaultsOf } from '../ledger/row/fault-counts.ts';
import { type PlainRow, readRowsAt } from '../ledger/row/list-rows.ts';
import type { RowPlace } from '../ledger/row/read-payment.ts';
import type { Facts, Listing } from './action.ts';
import { shortHash } from './subject-words.ts';

/** Formats the recorded evidence of a proposal for a person. */
export function evidenceFacts(evidence: Readonly<Record<string, unknown>>): Facts {
  return Object.entries(evidence).flatMap(([name, value]) => {
    const fact = FACTS[name]?.(value);
    return fact === undefined ? [] : [fact];
  });
}

type Writer = (value: unknown) => readonly [name: string, value: string] | undefined;

/** Keyed by the names that the moves use. Evidence for programs only is left out. */
const FACTS: Readonly<Record<string, Writer>> = {
  evidence: (value) => (typeof value === 'string' ? ['Evidence', value] : undefined),
  batchId: (value) => (typeof value === 'string' ? ['Batch id that matches', value] : undefined),
  resultSha256: (value) => (typeof value === 'string' ? ['SHA-256 of its result', shortHash(value)] : undefined),
  sha256: (value) => (typeof value === 'string' ? ['SHA-256 of the report', shortHash(value)] : undefined),
  sample: (value) => {
    const { rows, cents } = value as ProposedVersion['sample'];
    return ['Sample', `${groupedCount(rows, 'row')}, ${groupDigits(formatCents(cents))}`];
  },
  changes: (value) => {
    const lines = value as ProposedVersion['changes'];
    return lines.length === 0 ? undefined : ['Changes', lines.join('; ')];
  },
  overrides: (value) => {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    return ['Needs approval because', value.map((code) => saidCode(String(code))).join('; ')];
  },
};

/**
 * Lists what a person must look at before they decide on a held file: each row that holds it, after the one that it
 * resembles, and what does not fit the file as a whole. At most ten for each reason.
 */
export async function evidenceRows(
  ledger: Ledger,
  { file_id: fileId, file_no: fileNo }: Pick<FileRow, 'file_id' | 'file_no'>,
  held: readonly FaultCount[],
): Promise<Listing | undefined> {
  const codes = held.map(({ code }) => code);
  const faults = (await readFaultsOf(ledger, fileNo, codes)).map((fault) => ({
    ...fault,
    twin: twinOf(fileId, fault.detail),
  }));
  const places = faults.flatMap(({ line, twin }) => [{ fileId, line }, ...(twin ? [twin] : [])]);
  const found = new Map((await readRowsAt(ledger, places)).map((row) => [keyOf(row.file_id, row.line), row]));
  const shown = faults.flatMap(({ code, line, detail, twin }): { cells: readonly string[]; place?: RowPlace }[] => {
    const why = capital(ERRORS[code].means);
    if (line === 0)
      return isToldBy(held, { code, detail }) ? [] : [{ cells: [why, `The whole file: ${detail}`, '', '', '', ''] }];
    const earlier = twin && found.get(keyOf(twin.fileId, twin.line));
    const note = twin || !detail ? '' : `: ${detail}`;
    return [
      ...(twin && earlier ? [{ cells: [why, placeOf(fileId, earlier), ...cellsOf(earlier)], place: twin }] : []),
      { cells: [why, `Line ${line}${note}`, ...cellsOf(found.get(keyOf(fileId, line)))], place: { fileId, line } },
    ];
  });
  const titles = ['Reason', 'Where', 'Invoice', 'Customer code', 'Amount', 'Last digits'];
  const rows = shown.map(({ cells }) => cells);
  return rows.length === 0
    ? undefined
    : { label: 'What to look at', titles, rows, payments: shown.map(({ place }) => place) };
}

/** Returns whether the reasons of a held file tell this detail already; they have the first of each code. */
function isToldBy(held: readonly FaultCount[], fault: Pick<FaultCount, 'code' | 'detail'>): boolean {
  return fault.detail === null || held.some(({ code, detail }) => code === fault.code && detail === fault.detail);
}

/** Finds the row that a detail names: `the first is on line 2`, `line 2 of this file`, `line 2 of file <id>`. */
function twinOf(fileId: string, detail: string | null): { fileId: string; line: number } | undefined {
  const found = /\bline (\d{1,9})(?: of file ([0-9a-z]{16}))?/.exec(detail ?? '');
  return found ? { fileId: found[2] ?? fileId, line: Number(found[1]) } : undefined;
}

function keyOf(fileId: string, line: number): string {
  return `${fileId}/${line}`;
}

function placeOf(fileId: string, { file_id: id, name, line }: PlainRow): string {
  return id === fileId ? `Line ${line}` : `Line ${line} of ${name} (file ${id})`;
}

function cellsOf(row: PlainRow | undefined): string[] {
  if (!row) return ['', '', '', ''];
  const { invoice, customer_code: customer, amount_cents: cents, last_four: end } = row;
  return [invoice, customer, cents === null ? '' : groupDigits(formatCents(cents)), end && `…${end}`];
}
