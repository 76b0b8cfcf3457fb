import { EXIT } from '../../../schemas/errors.ts';
import type { Overview } from '../../ledger/overview/overview.ts';

/**
 * Returns the exit status for the worst open problem.
 * @param rejected number of rejected files, where that counts
 */
export function troubleStatus(overview: Overview, rejected = 0): number {
  const states = new Set(overview.doubt.map((batch) => batch.state));
  if (states.has('exception') || states.has('refused') || overview.stopped.length > 0) return EXIT.exception;
  if (states.has('unknown')) return EXIT.unknownOpen;
  // Use the counts, because the list of open files is truncated.
  if (overview.files.some((row) => row.state === 'held')) return EXIT.held;
  return rejected > 0 ? EXIT.invalid : EXIT.ok;
}
