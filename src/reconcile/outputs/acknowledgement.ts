import { COLUMNS } from '../../../schemas/layouts.ts';
import { ERRORS } from '../../../schemas/errors.ts';
import { COMPLETENESS, type Completeness } from '../../../schemas/lifecycle.ts';
import { describeFault } from '../../kernel/errors.ts';
import { formatCents } from '../../kernel/money.ts';
import type { Fault, Totals } from '../../rows/rows.ts';

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
  claimedAt: string;
  bytes: number;
  sha256: string;
  completeness: Completeness;
  records: number;
  valid: Totals;
  invalidRows: number;
  batches: number;
};

/** Returns pairs of name and value, then the header of the fault list. The faults follow, one per line. */
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
    ['Claimed At', notice.claimedAt],
    ['Bytes', String(notice.bytes)],
    ['SHA-256', notice.sha256],
    ['Completeness', COMPLETENESS[notice.completeness]],
    ['Rows', String(notice.records)],
    ['Accepted Rows', String(notice.status === 'ACCEPTED' ? notice.valid.rows : 0)],
    ['Accepted Total', formatCents(notice.status === 'ACCEPTED' ? notice.valid.cents : 0)],
    ['Valid Rows', String(notice.valid.rows)],
    ['Valid Total', formatCents(notice.valid.cents)],
    ['Rejected Rows', String(notice.invalidRows)],
    ['Batches', String(notice.batches)],
    [],
    ['Line', 'Column', 'Code', 'Effect', 'Reason', 'Value', 'What To Do'],
  ];
}

const EFFECTS = {
  row: 'row withheld',
  reject: 'file refused',
  hold: 'file held',
  warn: 'note',
} as const;

/**
 * Returns one line of the fault list.
 * @param effect effect of the fault; the table's, unless the folder decides otherwise (duplicate rows)
 */
export function faultCells(fault: Fault, effect: keyof typeof EFFECTS = ERRORS[fault.code].effect): string[] {
  const row = ERRORS[fault.code];
  return [
    fault.line === 0 ? '' : String(fault.line),
    fault.column ? COLUMNS[fault.column].title : '',
    fault.code,
    EFFECTS[effect],
    describeFault(fault),
    fault.value ?? '',
    row.remedy,
  ];
}
