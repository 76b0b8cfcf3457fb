import { statfs } from 'node:fs/promises';
import { foldersHere } from '../../kernel/config.ts';
import { bad, type Check, type Finding, ok, warn } from './check.ts';

const MEBIBYTE = 1_048_576;
const LEAST_MEBIBYTES = 100;
const GOOD_MEBIBYTES = 1_024;

/** Where the disk is full nothing is sent, because the journal cannot be written. */
export const diskSpace: Check = {
  name: 'Disk space',
  needs: 'nothing',
  async look({ settings }) {
    const paths = [settings.paths.data, settings.paths.out, ...foldersHere(settings).map((folder) => folder.path)];
    const room = await Promise.all(
      [...new Set(paths)].map(async (path) => ({ path, free: await freeMebibytes(path) })),
    );
    const findings = room.flatMap(({ path, free }) => (free === undefined ? [] : (judgeRoom(path, free) ?? [])));
    const least = Math.min(...room.flatMap(({ free }) => free ?? []));
    return findings.length > 0 ? findings : [ok(`at least ${least} MiB are free everywhere`)];
  },
};

export function judgeRoom(path: string, free: number): Finding | undefined {
  const found = `${free} MiB are free in "${path}"`;
  const mend = 'Make room elsewhere on this disk; delete nothing in data or out.';
  if (free < LEAST_MEBIBYTES) return bad(found, mend);
  return free < GOOD_MEBIBYTES ? warn(found, mend) : undefined;
}

async function freeMebibytes(path: string): Promise<number | undefined> {
  return statfs(path).then(
    ({ bavail, bsize }) => Math.floor((bavail * bsize) / MEBIBYTE),
    () => undefined,
  );
}
