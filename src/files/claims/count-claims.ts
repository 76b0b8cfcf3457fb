import { FILE_ID } from '../../kernel/ids.ts';
import { listFolder } from '../list-folder.ts';

/**
 * How many drops have left their folder and still lie in a work folder: until the ledger has decided about a file, its
 * claim is the only trace of it. Counted by name, so that one that is just being made or released counts as well.
 * @throws PipelineError FOLDER_MISSING, FOLDER_NOT_WRITABLE
 */
export async function countClaims(workRoots: Iterable<string>): Promise<number> {
  const lists = await Promise.all([...new Set(workRoots)].map(listFolder));
  return lists.flat().filter(({ key, stats }) => stats.isDirectory() && FILE_ID.test(key)).length;
}
