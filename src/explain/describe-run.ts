import { counted } from '../kernel/counted.ts';
import type { RunSummary } from '../ledger/engine/records.ts';

/** Summarizes a schedule's run in a few words. */
export function describeRun({ says, files, settling, difference }: RunSummary): string {
  const parts = [
    files === undefined ? '' : `${counted(files, 'file')} taken`,
    settling ? `${settling} still being written` : '',
    difference ? `difference ${counted(difference.rows, 'row')}, ${difference.total}` : '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join(', ') : (says ?? 'no more is known');
}
