import { PipelineError, reasonOf, systemCode } from '../../kernel/errors.ts';

const DISK_FULL = /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/;

/**
 * Creates the one error of this folder, LEDGER_START_FAILED.
 * @param where the data or cluster folder
 * @param reason what a program or PostgreSQL's log said, or what was thrown; the log holds no data values
 *   (start-server.ts), so its lines may be shown
 * @param next what to do, when the table's advice does not fit
 */
export function startFailed(where: string, reason: unknown, next?: string): PipelineError {
  const text = typeof reason === 'string' ? reason : reasonOf(reason);
  const isFull = DISK_FULL.test(text) || DISK_FULL.test(systemCode(reason) ?? '');
  const advice = isFull ? 'Make room and start again.' : next;
  return new PipelineError(
    'LEDGER_START_FAILED',
    `start the embedded PostgreSQL in "${where}"`,
    isFull ? `the disk is full (${shorten(text)})` : shorten(text),
    { ...(reason instanceof Error && { cause: reason }), ...(advice !== undefined && { next: advice }) },
  );
}

/** Keeps the last lines, which say what went wrong. */
function shorten(text: string): string {
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  return lines.slice(-4).join(' / ').replace(/\.+$/, '') || 'it gave no reason';
}
