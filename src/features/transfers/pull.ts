import { open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { App } from '../../app.ts';
import { displayName, isIgnoredName } from '../../files/file-names.ts';
import { hashFile } from '../../files/open-plain-file.ts';
import { lstatOrNothing } from '../../files/list-folder.ts';
import { syncFolder } from '../../kernel/folders.ts';
import type { Folder } from '../../config/config.ts';
import { maskName } from '../../kernel/mask.ts';
import { beginPull, findDropped, notePull, type Pull, wasClaimed } from './pull-records.ts';
import { tryEach } from './try-each.ts';
import { withLock } from '../../ledger/engine/with-lock.ts';
import { openRemote, type RemoteFile, remoteNamed, type RemoteSession } from './open-remote.ts';
import {
  gatherCompanions,
  isQuiet,
  judgeDrop,
  latin1,
  markerEndingOf,
  noteSighting,
  type Part,
  partsOf,
  readCompanionName,
  SIDECAR,
  type Sighting,
  usableCompanions,
} from '../../files/completeness.ts';

/** A folder that is filled from an SFTP server. */
export type PulledFolder = Folder & { pull: NonNullable<Folder['pull']> };

/**
 * Scans the server's folder once and brings in what is complete. A file is fetched under a hidden name, compared in
 * size, dropped by one rename, then moved away there. The ledger's note and the hidden file show where to resume after
 * a crash, so no file is forgotten or dropped twice. If both were lost, the file would be fetched again and refused as
 * the same bytes.
 * @returns how many files are still being written there
 */
export async function pullFolder(
  app: App,
  folder: PulledFolder,
  sightings: RemoteSightings,
  open: typeof openRemote = openRemote,
): Promise<number> {
  const remote = remoteNamed(app.settings, folder.pull.remote);
  return withLock(app.ledger, `pull:${folder.id}`, async () => {
    const session = await open(remote);
    try {
      const files = (await session.list(folder.pull.path)).filter(({ name }) => isTakenName(name));
      const { ready, waiting, settling } = sortRemoteFiles(files, {
        folder,
        sightings,
        nowMs: app.clock.now().getTime(),
      });
      const setting = { app, folder, session };
      await tryEach([() => bringReady(setting, ready), () => clearRest(setting, waiting)], (step) => step());
      // A file without its marker may wait forever; one that is not quiet yet will be.
      return settling;
    } finally {
      await session.close();
    }
  });
}

type Setting = { app: App; folder: PulledFolder; session: RemoteSession };

/** Returns whether a name of the server is taken: it leads nowhere else and is not that of an unfinished file. */
function isTakenName(name: string): boolean {
  return !/[/\\\0]/.test(name) && name !== '.' && name !== '..' && !isIgnoredName(latin1(name));
}

function bringReady(setting: Setting, ready: readonly ReadyFile[]): Promise<void> {
  return tryEach(ready, (file) => pullFile(setting, file));
}

async function pullFile(setting: Setting, file: ReadyFile): Promise<void> {
  const { app, folder } = setting;
  const noted = { folder: folder.id, name: maskName(displayName(file.name)), identity: identityOf(app, file) };
  const pull = await beginPull(app.ledger, noted);
  const isNew = pull.state === 'done' && folder.pull.after !== 'keep';
  if (pull.state === 'done' && !isNew) return;
  if (pull.state !== 'dropped' || isNew) {
    const isHere = await bringIn(setting, file, isNew ? { ...pull, state: 'fetching' } : pull);
    if (!isHere) return;
    app.log.info({ folder: folder.id, remote: folder.pull.remote, bytes: file.bytes }, 'file fetched');
  }
  await clearAway(setting, file);
  await notePull(app.ledger, pull.pullNo, 'done');
}

/** Returns the identity of a file: another version under the same name is another file. */
function identityOf(app: App, { name, bytes, mtimeMs }: RemoteFile): Buffer {
  return app.fingerprint(['pulled', name, String(bytes), String(mtimeMs)]);
}

/** @returns false when it has to wait: it changed while it was fetched, or one of its name is still here */
async function bringIn(setting: Setting, file: ReadyFile, pull: Pull): Promise<boolean> {
  const { app, folder } = setting;
  const hidden = join(folder.path, `.pulled-${pull.pullNo}.part`);
  const target = join(folder.path, file.name);
  if (pull.state === 'fetched' && !(await lstatOrNothing(hidden)) && (await wasDropped(setting, target, pull))) {
    if (await lstatOrNothing(target)) await announce(folder, target);
    await notePull(app.ledger, pull.pullNo, 'dropped');
    return true;
  }
  if (await lstatOrNothing(target)) return false;
  if (!(await fetchWhole(setting, file, hidden))) return false;
  const sha256 = await hashFile(hidden);
  if (sha256 === undefined) return false;
  await notePull(app.ledger, pull.pullNo, 'fetched', sha256);
  // The control file goes first, or the file would be taken without it.
  if (file.sidecar) await fetchInto(setting, file.sidecar, hidden);
  await rename(hidden, target);
  await announce(folder, target);
  await notePull(app.ledger, pull.pullNo, 'dropped');
  return true;
}

async function announce({ path, complete }: Folder, target: string): Promise<void> {
  const ending = markerEndingOf(complete);
  // A control file that doubles as the marker was fetched from the server, and an empty one must not replace it.
  if (complete.by !== 'quiet' && ending !== SIDECAR) await writeFile(target + ending, '', { mode: 0o600 });
  await syncFolder(path);
}

/** Returns whether the missing hidden file was renamed. If a person removed it, there is no trace of it. */
async function wasDropped({ app, folder }: Setting, target: string, { sha256 }: Pull): Promise<boolean> {
  if (sha256 === null) return false;
  return (await hashFile(target)) === sha256 || (await wasClaimed(app.ledger, folder.id, sha256));
}

/** Fetches a file. @returns whether it is whole: it has the server's size, and the server still has the same file */
async function fetchWhole({ session, folder }: Setting, file: RemoteFile, hidden: string): Promise<boolean> {
  await session.fetch(posix.join(folder.pull.path, file.name), hidden);
  const now = await session.stat(posix.join(folder.pull.path, file.name));
  const isWhole = now?.bytes === file.bytes && now.mtimeMs === file.mtimeMs && (await stat(hidden)).size === file.bytes;
  if (!isWhole) await rm(hidden, { force: true });
  else await syncFile(hidden);
  return isWhole;
}

async function fetchInto(setting: Setting, sidecar: RemoteFile, hidden: string): Promise<void> {
  const draft = `${hidden.slice(0, -'.part'.length)}.ctl.part`;
  const { folder, session } = setting;
  await session.fetch(posix.join(folder.pull.path, sidecar.name), draft);
  await syncFile(draft);
  await rename(draft, join(folder.path, sidecar.name));
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Finishes files that are here and were being moved away there: without their marker they no longer look complete. */
async function clearRest(setting: Setting, waiting: readonly ReadyFile[]): Promise<void> {
  const { app, folder } = setting;
  const dropped = await findDropped(app.ledger, folder.id);
  await tryEach(waiting, async (file) => {
    const pullNo = dropped.get(identityOf(app, file).toString('hex'));
    if (pullNo === undefined) return;
    await clearAway(setting, file);
    await notePull(app.ledger, pullNo, 'done');
  });
}

/** Moves the file last: while it is there, its companions are found again. */
async function clearAway({ folder, session, app }: Setting, file: ReadyFile): Promise<void> {
  const { after, path, claimed = posix.join(path, 'claimed') } = folder.pull;
  if (after === 'keep') return;
  const parts = [file.marker, file.sidecar, file].filter((part) => part !== undefined);
  if (after === 'move') await session.makeFolder(claimed);
  for (const { name } of parts) {
    const from = posix.join(path, name);
    if (!(await session.stat(from))) continue;
    if (after === 'delete') await session.remove(from);
    else await session.rename(from, await freeName(session, posix.join(claimed, name), app.clock.now()));
  }
}

async function freeName(session: RemoteSession, path: string, now: Date): Promise<string> {
  return (await session.stat(path)) ? `${path}.${now.toISOString().replace(/\D/g, '')}` : path;
}

type ReadyFile = RemoteFile & { sidecar?: RemoteFile; marker?: RemoteFile };

/** What earlier scans saw of each name; each scan changes it. */
export type RemoteSightings = Map<string, Sighting>;

/**
 * Sorts the files of a server by whether they are complete, by the rule that the folder has for its own drops.
 */
export function sortRemoteFiles(
  files: readonly RemoteFile[],
  { folder, sightings, nowMs }: { folder: Pick<Folder, 'complete'>; sightings: RemoteSightings; nowMs: number },
): { ready: ReadyFile[]; waiting: ReadyFile[]; settling: number } {
  const names = new Set(files.map(({ name }) => name));
  for (const name of sightings.keys()) if (!names.has(name)) sightings.delete(name);
  for (const { name, bytes, mtimeMs } of files)
    sightings.set(name, noteSighting(sightings.get(name), `${bytes} ${mtimeMs}`, nowMs));
  const { complete } = folder;
  const listed = files.map((file) => ({ key: latin1(file.name), isEmpty: file.bytes === 0, file }));
  const companions = gatherCompanions(listed, complete);
  const partOf = ({ name, mtimeMs }: RemoteFile): Part => ({
    changedAt: mtimeMs,
    isStill: (rule) => isQuiet(sightings.get(name)!, rule, nowMs),
  });
  const payments = listed.filter(({ key }) => !readCompanionName(key, complete));
  const ready: ReadyFile[] = [];
  const waiting: ReadyFile[] = [];
  let settling = 0;
  for (const { key, file } of payments.toSorted((one, other) => one.file.mtimeMs - other.file.mtimeMs)) {
    const { control, marker } = usableCompanions(companions.get(key) ?? {}, complete);
    const verdict = judgeDrop(
      partOf(file),
      partsOf({ control, marker }, ({ file: part }) => partOf(part)),
      complete,
    );
    if (verdict.is === 'settling') settling += 1;
    const found = { ...file, ...(control && { sidecar: control.file }), ...(marker && { marker: marker.file }) };
    (verdict.is === 'settled' ? ready : waiting).push(found);
  }
  return { ready, waiting, settling };
}
