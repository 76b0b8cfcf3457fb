import { access, constants, stat } from 'node:fs/promises';
import { foldersHere, type Settings } from '../../config/config.ts';
import { counted } from '../../kernel/counted.ts';
import { explainPath, systemCode } from '../../kernel/errors.ts';
import { quoteWord } from '../print/paydrop-line.ts';
import { bad, type Check, type Finding, ok, warn } from './check.ts';

/** Drop folders must exist; the next start creates our own. All must be writable. */
export const folders: Check = {
  name: 'Folders',
  needs: 'nothing',
  async look({ settings }) {
    const drops = foldersHere(settings).map((folder) => folder.path);
    const findings = [
      ...(await Promise.all(drops.map((path) => lookAt(path, missingDrop)))),
      ...(await Promise.all(ownFolders(settings).map((path) => lookAt(path, missingOwn)))),
    ].flatMap((finding) => finding ?? []);
    return findings.length > 0 ? findings : [ok(`${counted(drops.length, 'drop folder')} and our own are there`)];
  },
};

/** Returns the folders that only paydrop uses. */
export function ownFolders({ paths, folders: drops }: Settings): string[] {
  return [...new Set([paths.data, paths.archive, paths.out, paths.quarantine, ...drops.map((folder) => folder.work)])];
}

async function lookAt(path: string, missing: (path: string) => Finding): Promise<Finding | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return bad(`"${path}" is no folder`, 'Move the file away.');
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return missing(path);
    const fault = explainPath(code);
    if (fault) return bad(`"${path}" cannot be used: ${fault.reason}`, fault.next);
    return bad(
      `"${path}" cannot be read and written (${code})`,
      'Give the paydrop user the right to read and write it.',
    );
  }
}

function missingDrop(path: string): Finding {
  return bad(`the drop folder "${path}" is missing`, `mkdir -p ${quoteWord(path)}`);
}

function missingOwn(path: string): Finding {
  return warn(`"${path}" is not there yet`, 'Nothing: the next start makes it. If it was there before, restore it.');
}
