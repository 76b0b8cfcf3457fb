import { findStaleTemporaries } from '../../files/outputs/output-draft.ts';
import { listSealed } from '../../crypto/list-sealed.ts';
import { foldersHere } from '../../config/config.ts';
import { type Check, type Finding, ok, warn } from './check.ts';

/** Longer than any write takes, in ms. */
const STALE_MS = 3_600_000;

/** Files left by processes that were killed while writing. */
export const temporaries: Check = {
  name: 'Temporaries',
  needs: 'nothing',
  async look({ settings, clock }) {
    const findings: Finding[] = [];
    for (const dir of [settings.paths.out, ...foldersHere(settings).map((folder) => folder.path)]) {
      const stale = await findStaleTemporaries(dir, { olderThanMs: STALE_MS, clock }).catch(() => []);
      if (stale.length === 0) continue;
      findings.push(warn(`${stale.length} unfinished in "${dir}"`, 'Nothing: the next start removes them.'));
    }
    const drafts = await countDrafts(settings.paths.archive);
    if (drafts > 0)
      findings.push(
        warn(
          `${drafts} unfinished in the archive`,
          'Nothing: they are sealed, and go when their file is taken in again.',
        ),
      );
    return findings.length > 0 ? findings : [ok('none')];
  },
};

async function countDrafts(archive: string): Promise<number> {
  let drafts = 0;
  for await (const { kind } of listSealed(archive)) if (kind === 'draft') drafts += 1;
  return drafts;
}
