import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../../kernel/errors.ts';

/** Thousands of entries; with less, an intent may not be written any more and nothing could be sent. */
const LEAST_FREE_BYTES = 1_048_576;

/** Such as a folder, which a mistyped setting names. */
export const NO_FILE = 'something that is no file stands in its place';

/**
 * Why the send journal could not take an entry, in a few words without its path; undefined when it could. It only
 * looks: an entry that is no send must not stand in it.
 */
export async function findJournalTrouble(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    if (!(await stat(path)).isFile()) return `${NO_FILE}; move it away`;
    const { bavail, bsize } = await statfs(dirname(path));
    return bavail * bsize < LEAST_FREE_BYTES ? 'the disk is full' : undefined;
  } catch (error) {
    const code = systemCode(error) ?? 'unforeseen error';
    return code === 'ENOENT' ? 'it is missing' : `it cannot be written (${code})`;
  }
}
