import { COLUMNS } from '../../../schemas/layouts.ts';
import { ERRORS } from '../../../schemas/errors.ts';
import { COMPLETENESS, type Completeness } from '../../../schemas/lifecycle.ts';
import { describeFault } from '../../kernel/errors.ts';
import { formatCents } from '../../kernel/money.ts';
import type { Fault, Totals } from '../../rows/rows.ts';
import type { ReadBy } from './summary.ts';

/** The head of the notice about a file: the verdict and the figures behind it. */
export type Notice = {
  status: 'ACCEPTED' | 'HELD' | 'REJECTED' | 'CANCELLED';
  code: string | null;
  reason: string;
  fileId: string;
  name: string;
  account: string;
  operation: string;
  layout: string | null;
  readBy?: ReadBy;
  /** Of a file that an import profile read: what its lines are. */
  lines?: string;
  claimedAt: string;
  bytes: number;
  sha256: string;
  completeness: Completeness;
  records: number;
  valid: Totals;
  invalidRows: number;
  batches: number;
  /** Rows of the largest batch: the most that can be in doubt at once. 0 for a file without batches. */
  largestBatch: number;
};

/** Returns pairs of name and value, then the header of the fault list, which follows. */
export function noticeHead(notice: Notice): string[][] {
  return [
    ['Status', notice.status],
    ['Code', notice.code ?? ''],
    ['Reason', notice.reason],
    ['File Id', notice.fileId],
    ['File Name', notice.name],
    ['Account', notice.account],
    ['Operation', notice.operation],
    ['Layout', notice.layout ?? ''],
    ...(notice.readBy ? profileLines(notice.readBy) : []),
    ...(notice.lines === undefined ? [] : [['Lines', notice.lines]]),
    ['Claimed At', notice.claimedAt],
    ['Bytes', String(notice.bytes)],
    ['SHA-256', notice.sha256],
    ['Completeness', COMPLETENESS[notice.completeness]],
    ['Rows', String(notice.records)],
    ['Accepted Rows', String(notice.status === 'ACCEPTED' ? notice.valid.rows : 0)],
    ['Accepted Total', formatCents(notice.status === 'ACCEPTED' ? notice.valid.cents : 0)],
    ['Valid Rows', String(notice.valid.rows)],
    ['Valid Total', formatCents(notice.valid.cents)],
    ['Invalid Rows', String(notice.invalidRows)],
    ['Batches', String(notice.batches)],
    ...(notice.largestBatch > 0 ? [['Rows In Largest Batch', String(notice.largestBatch)]] : []),
    [],
    ['Line', 'Column', 'Code', 'Effect', 'Reason', 'Value', 'What To Do'],
  ];
}

function profileLines({ profile, version, hash, confirmedBy }: ReadBy): string[][] {
  return [
    ['Profile', profile],
    ['Profile Version', `${version} (${hash})`],
    ['Profile Confirmed By', confirmedBy],
  ];
}

const EFFECTS = {
  row: 'row withheld',
  reject: 'file refused',
  hold: 'file held',
  warn: 'note',
} as const;
type Effect = keyof typeof EFFECTS;

/** What a fault comes to once the file has its status. */
const EFFECTS_IN: Readonly<Record<Notice['status'], Partial<Record<Effect, string>>>> = {
  ACCEPTED: { hold: 'held, then approved' },
  HELD: { row: 'withheld if the file is approved' },
  REJECTED: { row: 'refused with the file', hold: 'refused with the file' },
  CANCELLED: { row: 'cancelled with the file', hold: 'cancelled with the file' },
};

/** The status of the notice that a verdict leads to. */
export const STATUS_OF_VERDICT = { accept: 'ACCEPTED', hold: 'HELD', reject: 'REJECTED' } as const;

/** Returns what followed from a fault, so that no line of a notice contradicts its status. */
export function saidEffect(
  { status, code }: Pick<Notice, 'status' | 'code'>,
  fault: Pick<Fault, 'code' | 'line'>,
  effect: Effect,
): string {
  if (status === 'REJECTED' && fault.code === code) return EFFECTS.reject;
  // A fault of the file held it only if it was held, and is no reason once the file is refused for another.
  const isVoid = status === 'ACCEPTED' ? code === null : status === 'REJECTED' && fault.line === 0;
  if (effect === 'hold' && isVoid) return EFFECTS.warn;
  return EFFECTS_IN[status][effect] ?? EFFECTS[effect];
}

/** Returns the line of the fault list about one fault, with the effect of the table. */
export function faultCells(fault: Fault): string[] {
  const group: FaultGroup = { fault, runs: [[fault.line, fault.line]], values: [fault.value ?? ''] };
  return groupCells(group, EFFECTS[ERRORS[fault.code].effect]);
}

/** Lines with the same fault: the first of them, the runs of lines, and the values that differ. */
type FaultGroup = { readonly fault: Fault; readonly runs: [from: number, to: number][]; readonly values: string[] };

function groupCells({ fault, runs, values }: FaultGroup, effect: string): string[] {
  return [
    sayLines(runs),
    fault.column ? COLUMNS[fault.column].title : '',
    fault.code,
    effect,
    describeFault(fault),
    [...values.slice(0, MOST_VALUES), ...(values.length > MOST_VALUES ? ['…'] : [])].join('; '),
    ERRORS[fault.code].remedy,
  ];
}

function sayLines(runs: FaultGroup['runs']): string {
  const rows = runs.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  if (rows === 1) return runs[0]![0] === 0 ? '' : String(runs[0]![0]);
  const lines = runs.map(([from, to]) => (from === to ? String(from) : `${from} to ${to}`));
  return `lines ${lines.join(', ')} (${rows} rows)`;
}

/** Values shown of a group; they are examples. */
const MOST_VALUES = 3;

/** Runs of lines in one line of the list, which must stay readable; more begin another. */
const MOST_RUNS = 20;

/** Groups kept at a time: a file can have a million faults that all differ. */
const MOST_GROUPS = 1_000;

/**
 * Gathers equal faults of a notice: same code, column and detail. Its memory does not grow with the file.
 * @param effectOf says what followed from a fault
 * @returns `take` and `end` return the lines that are complete
 */
export function faultGroups(effectOf: (fault: Fault) => string) {
  let groups = new Map<string, FaultGroup>();

  function take(faults: readonly Fault[]): string[][] {
    const full: string[][] = [];
    for (const fault of faults) {
      const key = JSON.stringify([fault.code, fault.column, fault.detail, fault.line === 0]);
      const group = groups.get(key);
      if (group && addLine(group, fault)) continue;
      if (group) full.push(groupCells(group, effectOf(group.fault)));
      else if (groups.size === MOST_GROUPS) full.push(...end());
      groups.set(key, { fault, runs: [[fault.line, fault.line]], values: fault.value ? [fault.value] : [] });
    }
    return full;
  }

  function end(): string[][] {
    const lines = [...groups.values()].map((group) => groupCells(group, effectOf(group.fault)));
    groups = new Map();
    return lines;
  }

  return { take, end };
}

/** @returns false when the group has no room for another line */
function addLine({ runs, values }: FaultGroup, { line, value }: Fault): boolean {
  const last = runs.at(-1)!;
  if (line === last[1] + 1) last[1] = line;
  else if (line !== last[1]) {
    if (runs.length === MOST_RUNS) return false;
    runs.push([line, line]);
  }
  if (value && values.length <= MOST_VALUES && !values.includes(value)) values.push(value);
  return true;
}
