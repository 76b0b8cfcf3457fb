import { type ErrorCode, ERRORS } from '../../schemas/errors.ts';
import { effectOf } from '../csv/check/fault-effect.ts';
import { counted } from '../kernel/counted.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { type FaultCount, readFaultCounts } from '../ledger/row/fault-counts.ts';
import type { FileRow } from '../ledger/engine/records.ts';

/**
 * Reads every reason why a held file waits, by the settings under which it was held; the ledger's own reason is only the
 * first. Empty for other files.
 */
export async function readHoldReasons(
  ledger: Ledger,
  file: Pick<FileRow, 'file_no' | 'state' | 'fault_rules'>,
): Promise<FaultCount[]> {
  if (file.state !== 'held') return [];
  const counts = await readFaultCounts(ledger, file.file_no);
  return counts.filter(({ code }) => effectOf(code, file.fault_rules) === 'hold');
}

/** Lists the reasons under a title, one per line; empty when there are none. */
export function describeHoldReasons(reasons: readonly FaultCount[]): string {
  if (reasons.length === 0) return '';
  return ['Needs approval because', ...reasons.map((reason) => `  ${describeReason(reason)}`)].join('\n');
}

/** Describes a reason in one line, with the number of rows when it concerns rows. */
export function describeReason({ code, count, line, detail }: FaultCount): string {
  const rows = ERRORS[code].scope === 'row' ? ` (${counted(count, 'row')}, the first on line ${line})` : '';
  return `${ERRORS[code].means}${rows}${detail ? `: ${detail}` : ''}`;
}

/** Returns the remedy for an error code; empty for a code that is no longer in the table. */
export function remedyOf(code: string | null): string {
  return code !== null && Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].remedy : '';
}
