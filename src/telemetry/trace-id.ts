import { sha256Of } from '../kernel/hash.ts';

/**
 * Derives the ids of a file's trace from its id alone. Every process adds its work on a file to the same trace, days
 * apart and after a crash, and nothing has to be stored.
 */
export function traceIdsOf(fileId: string): { traceId: string; spanId: string } {
  const hex = sha256Of(Buffer.from(`trace of ${fileId}`));
  return { traceId: hex.slice(0, 32), spanId: hex.slice(32, 48) };
}
