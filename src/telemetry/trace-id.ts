import { sha256Of } from '../kernel/hash.ts';

/**
 * The ids of a file's trace, made from its id alone. So every process puts its work on a file into the same trace,
 * days apart and after a crash, and nothing has to be kept for it.
 */
export function traceIdsOf(fileId: string): { traceId: string; spanId: string } {
  const hex = sha256Of(Buffer.from(`trace of ${fileId}`));
  return { traceId: hex.slice(0, 32), spanId: hex.slice(32, 48) };
}
