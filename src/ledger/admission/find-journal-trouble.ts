import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../../kernel/errors.ts';

/** Room for thousands of entries. With less, an intent might not fit, and nothing could be sent. */
const LEAST_FREE_BYTES = 1_048_576;

/** For example a folder, when a setting is mistyped. */
export const NO_FILE = 'its path is not a file';

/**
 * Returns briefly, without the path, why the send journal cannot take an entry; undefined when it can. It writes
 * nothing, because the journal must hold only real entries.
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
