import { readdir } from 'node:fs/promises';
import { FILE_ID } from '../../kernel/ids.ts';
import { readOriginals } from '../../ledger/key/read-originals.ts';
import { foldersHere } from '../../config/config.ts';
import { type Check, type Finding, ok, warn } from './check.ts';

/** The work folders must hold only what the ledger has claimed and not decided. */
export const workFolders: Check = {
  name: 'Work folders',
  needs: 'ledger',
  async look({ settings, ledger }) {
    const findings: Finding[] = [];
    for (const work of new Set(foldersHere(settings).map((folder) => folder.work))) {
      const names = await readdir(work).catch(() => []);
      const ids = names.filter((name) => FILE_ID.test(name));
      const known = new Map((await readOriginals(ledger, ids)).map((row) => [row.file_id, row.state]));
      findings.push(
        ...about(
          ids.filter((id) => !known.has(id)),
          `in "${work}" and not in the ledger`,
          'Nothing: the next start, or the sweep of one that runs, takes them in.',
        ),
        ...about(
          ids.filter((id) => known.has(id) && known.get(id) !== 'claimed'),
          `in "${work}" and decided`,
          'Nothing: the next start, or the sweep of one that runs, clears them away.',
        ),
        ...about(
          names
            .filter((name) => !FILE_ID.test(name) && !/^\.|\.empty$/.test(name))
            .map(() => 'a thing that is no claim'),
          `in "${work}"`,
          'Nothing: the next start, or the sweep of one that runs, puts it into quarantine.',
        ),
      );
    }
    return findings.length > 0 ? findings : [ok('they hold what the ledger has claimed')];
  },
};

function about(names: readonly string[], where: string, mend: string): Finding[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, 5).join(', ') + (names.length > 5 ? ', …' : '');
  return [warn(`${names.length} ${where}: ${shown}`, mend)];
}
