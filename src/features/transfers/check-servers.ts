import { bad, type Check, type Finding, findingOf, ok } from '../../cli/doctor/check.ts';
import { foldersHere, type Settings } from '../../config/config.ts';
import { openRemote, type Remote, remoteNamed } from './open-remote.ts';

/** Logs in to every SFTP server used for pulls or pushes here, and lists the folders there. */
export const sftpServers: Check = {
  name: 'SFTP servers',
  needs: 'nothing',
  async look({ settings }) {
    const folders = foldersOn(settings);
    const found = await Promise.all([...folders].map(([name, own]) => visit(remoteNamed(settings, name), [...own])));
    return found.flat();
  },
};

function foldersOn(settings: Settings): Map<string, Set<string>> {
  const pulls = foldersHere(settings).flatMap(({ pull }) => pull ?? []);
  const folders = new Map<string, Set<string>>();
  for (const { remote, path } of [...pulls, ...settings.push])
    folders.set(remote, (folders.get(remote) ?? new Set()).add(path));
  return folders;
}

/** Checks all folders of a server with one log-in; some servers block clients that log in often. */
async function visit(remote: Remote, folders: readonly string[]): Promise<Finding[]> {
  try {
    const session = await openRemote(remote);
    try {
      const findings: Finding[] = [];
      for (const folder of folders) findings.push(await lookInto(folder, remote, () => session.list(folder)));
      return findings;
    } finally {
      await session.close();
    }
  } catch (error) {
    return [findingOf(error, bad)];
  }
}

async function lookInto(folder: string, { name }: Remote, list: () => Promise<unknown[]>): Promise<Finding> {
  try {
    const files = await list();
    return ok(`remote ${name}: ${folder} can be listed, files in it: ${files.length}`);
  } catch (error) {
    return findingOf(error, (found, remedy) => bad(`remote ${name}: ${folder}: ${found}`, remedy));
  }
}
