import { ERRORS } from '../../schemas/errors.ts';
import { effectOf } from '../csv/check/fault-effect.ts';
import type { Settings } from '../config/config.ts';
import { counted } from '../kernel/counted.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { type FaultCount, readFaultCounts } from '../ledger/row/fault-counts.ts';
import type { FileRow } from '../ledger/engine/records.ts';

/** Everything for which a held file waits; the ledger's own reason is only the first of it. Empty for other files. */
export async function readHoldReasons(
  ledger: Ledger,
  { folders }: Pick<Settings, 'folders'>,
  file: Pick<FileRow, 'file_no' | 'folder' | 'state'>,
): Promise<FaultCount[]> {
  if (file.state !== 'held') return [];
  const folder = folders.find(({ id }) => id === file.folder);
  const counts = await readFaultCounts(ledger, file.file_no);
  return counts.filter(({ code }) => (folder ? effectOf(code, folder) : ERRORS[code].effect) === 'hold');
}

/** One line for each reason, behind a title; nothing when there is none. */
export function describeHoldReasons(reasons: readonly FaultCount[]): string {
  if (reasons.length === 0) return '';
  return ['Held because', ...reasons.map((reason) => `  ${describeReason(reason)}`)].join('\n');
}

/** In one line, with the number of rows where it is about rows. */
export function describeReason({ code, count, line, detail }: FaultCount): string {
  const rows = ERRORS[code].scope === 'row' ? ` (${counted(count, 'row')}, the first on line ${line})` : '';
  return `${code}: ${ERRORS[code].means}${rows}${detail ? `: ${detail}` : ''}`;
}
