import { FILE_ID } from '../../kernel/ids.ts';
import { listFolder } from '../list-folder.ts';

/**
 * Counts the drops that have left their folder and still lie in a work folder. Until the ledger has decided about a
 * file, its claim is its only trace. Folders are matched by name, so claims being made or released count too.
 * @throws PipelineError FOLDER_MISSING, FOLDER_NOT_WRITABLE
 */
export async function countClaims(workRoots: Iterable<string>): Promise<number> {
  const lists = await Promise.all([...new Set(workRoots)].map(listFolder));
  return lists.flat().filter(({ key, stats }) => stats.isDirectory() && FILE_ID.test(key)).length;
}
