import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { findFile } from '../ledger/file/search.ts';
import type { BatchRow, FileRow } from '../ledger/engine/records.ts';
import { findBatch } from './batch-reference.ts';

/** The file or batch argument in the commands' help tables. */
export const FILE_OR_BATCH_ARGUMENT = [
  '<file|batch>',
  'a file by its id, the first letters of it, or its name; or one batch of it, as in monday.csv/2',
] as const;

/**
 * Finds a file, or one batch of it when a slash and a number follow. Names of drops contain no slash.
 * @throws PipelineError NOT_FOUND
 */
export async function findFileOrBatch(ledger: Ledger, words: string): Promise<{ file: FileRow; batch?: BatchRow }> {
  if (isBatchReference(words)) return findBatch(ledger, words);
  return { file: await findFile(ledger, words) };
}

export function isBatchReference(words: string): boolean {
  return /^.+\/[1-9]\d{0,5}$/.test(words.trim());
}
