import { stat, statfs } from 'node:fs/promises';
import { counted } from '../../kernel/counted.ts';
import { foldersHere } from '../../config/config.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { bad, type Check, type Finding, ok, warn } from './check.ts';
import { ownFolders } from './folders.ts';

const MEBIBYTE = 1_048_576;
const LEAST_MEBIBYTES = 100;
const GOOD_MEBIBYTES = 1_024;

/** On a full disk nothing is sent, because the journal cannot be written. */
export const diskSpace: Check = {
  name: 'Disk space',
  needs: 'nothing',
  async look({ settings }) {
    const paths = [...ownFolders(settings), ...foldersHere(settings).map((folder) => folder.path)];
    const measured = await Promise.all([...new Set(paths)].map(measureRoom));
    const rooms = measured.filter((room) => room !== undefined);
    const disks = [...groupBy(rooms, ({ disk }) => disk).values()];
    const findings = disks.flatMap((disk) => judgeRoom(disk) ?? []);
    const least = Math.min(...rooms.map(({ free }) => free));
    return findings.length > 0 ? findings : [ok(`at least ${least} MiB are free everywhere`)];
  },
};

type Room = { path: string; disk: string; free: number };

/** @param rooms the folders of one disk */
export function judgeRoom(rooms: readonly Room[]): Finding | undefined {
  const [{ path, free }] = rooms as [Room];
  const others = rooms.length > 1 ? `, and on its disk for ${counted(rooms.length - 1, 'other folder')}` : '';
  const found = `${free} MiB are free in "${path}"${others}`;
  const mend = 'Make room elsewhere on this disk; delete nothing in data or out.';
  if (free < LEAST_MEBIBYTES) return bad(found, mend);
  return free < GOOD_MEBIBYTES ? warn(found, mend) : undefined;
}

async function measureRoom(path: string): Promise<Room | undefined> {
  return Promise.all([stat(path), statfs(path)]).then(
    ([{ dev }, { bavail, bsize }]) => ({ path, disk: `${dev}`, free: Math.floor((bavail * bsize) / MEBIBYTE) }),
    () => undefined,
  );
}
