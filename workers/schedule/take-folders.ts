import { setTimeout as wait } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { createFolderScanner } from '../../src/files/scan-folder.ts';
import { countClaimed } from '../../src/ledger/schedule/read-runs.ts';
import { lookAtFolder, probeMs } from '../watch/watch.ts';

/** Files taken, and drops that were still being written when the time was over. */
export type Taken = { files: number; settling: number };

/**
 * Takes what lies in the folders of a schedule, scanning until nothing settles any more. Doing it twice is harmless:
 * one rename claims a drop.
 * @param until no further wait for settling drops begins after this moment
 * @returns undefined when it was stopped while something settled
 */
export async function takeFolders(
  app: App,
  schedule: string,
  until: Date,
  stop?: AbortSignal,
): Promise<Taken | undefined> {
  const folders = app.settings.folders.filter((folder) => folder.schedule === schedule);
  const scanners = folders.map((folder) => ({ folder, scanner: createFolderScanner(folder, app.clock) }));
  const begun = app.clock.now();
  let settling = 0;
  do {
    if (settling > 0) await pause(probeMs(folders, app.settings.rescanMs), stop);
    settling = 0;
    for (const { folder, scanner } of scanners) settling += await lookAtFolder(app, folder, scanner);
  } while (settling > 0 && !stop?.aborted && app.clock.now() < until);
  if (settling > 0 && stop?.aborted) return undefined;
  const ids = folders.map((folder) => folder.id);
  return { files: await countClaimed(app.ledger, ids, begun, app.clock.now()), settling };
}

async function pause(ms: number, stop?: AbortSignal): Promise<void> {
  await wait(ms, undefined, stop && { signal: stop }).catch(() => {});
}
