import type { RunSummary } from '../ledger/records.ts';

/** What a run of a schedule came to, in a few words. */
export function describeRun({ says, files, settling, difference }: RunSummary): string {
  const parts = [
    files === undefined ? '' : `${files === 1 ? '1 file' : `${files} files`} taken`,
    settling ? `${settling} still being written` : '',
    difference ? `difference ${difference.rows} rows, ${difference.total}` : '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join(', ') : (says ?? 'no more is known');
}
