import { CONTROL_RULE } from '../../src/files/scan-folder.ts';
import { isQuiet, noteSighting, type Sighting } from '../../src/files/settle.ts';
import type { Folder } from '../../src/config/config.ts';
import type { RemoteFile } from '../../src/files/remote/open-remote.ts';

/** A file that may be fetched, with its companions. */
export type ReadyFile = RemoteFile & { sidecar?: RemoteFile; marker?: RemoteFile };

/** What earlier scans saw of each name; each scan changes it. */
export type RemoteSightings = Map<string, Sighting>;

const SIDECAR = '.ctl';

/**
 * Sorts the files of a server by whether they are complete. The folder's rule for its own drops applies: a marker, or
 * enough quiet time over enough scans.
 */
export function sortRemoteFiles(
  files: readonly RemoteFile[],
  { folder, sightings, nowMs }: { folder: Pick<Folder, 'complete'>; sightings: RemoteSightings; nowMs: number },
): { ready: ReadyFile[]; waiting: ReadyFile[] } {
  const byName = new Map(files.map((file) => [file.name, file]));
  for (const name of sightings.keys()) if (!byName.has(name)) sightings.delete(name);
  for (const { name, bytes, mtimeMs } of files)
    sightings.set(name, noteSighting(sightings.get(name), `${bytes} ${mtimeMs}`, nowMs));
  const { complete } = folder;
  const suffix = complete.by === 'marker' ? complete.suffix : undefined;
  const isStill = ({ name }: RemoteFile) => complete.by === 'quiet' && isQuiet(sightings.get(name)!, complete, nowMs);
  const payments = files.filter(
    ({ name }) => !name.endsWith(SIDECAR) && !(suffix !== undefined && name.endsWith(suffix)),
  );
  const ready: ReadyFile[] = [];
  const waiting: ReadyFile[] = [];
  for (const file of payments.toSorted((one, other) => one.mtimeMs - other.mtimeMs)) {
    const sidecar = byName.get(file.name + SIDECAR);
    const marker = suffix === undefined ? undefined : byName.get(file.name + suffix);
    const isComplete = marker
      ? marker !== sidecar || isQuiet(sightings.get(marker.name)!, CONTROL_RULE, nowMs)
      : suffix === undefined && isStill(file) && (!sidecar || isStill(sidecar));
    (isComplete ? ready : waiting).push({ ...file, ...(sidecar && { sidecar }), ...(marker && { marker }) });
  }
  return { ready, waiting };
}
