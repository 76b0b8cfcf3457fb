import { stat } from 'node:fs/promises';
import { foldersHere } from '../../config/config.ts';
import { bad, type Check, type Finding, ok } from './check.ts';

/**
 * A drop is claimed by one rename, which cannot cross file systems. This check cannot tell two mounts of one file
 * system apart; only the rename at startup proves that claims work.
 */
export const fileSystems: Check = {
  name: 'File systems',
  needs: 'nothing',
  async look({ settings }) {
    const findings: Finding[] = [];
    for (const { id, path, work } of foldersHere(settings)) {
      const [drop, own] = await Promise.all([deviceOf(path), deviceOf(work)]);
      if (drop === undefined || own === undefined || drop === own) continue;
      findings.push(
        bad(
          `the drop folder "${id}" lies on another file system than its work folder "${work}"`,
          'Set "work" of the folder to a place on the same file system.',
        ),
      );
    }
    return findings.length > 0 ? findings : [ok('each drop folder lies on that of its work folder')];
  },
};

/** Returns undefined for a missing folder, which another check reports. */
async function deviceOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ dev }) => dev,
    () => undefined,
  );
}
