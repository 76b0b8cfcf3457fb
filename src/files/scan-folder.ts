import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { USUAL_MARKER } from '../../schemas/config.ts';
import type { Clock } from '../kernel/clock.ts';
import { systemCode } from '../kernel/errors.ts';
import { isIgnoredName } from './file-names.ts';
import { type FolderEntry, inSlices, listFolder } from './list-folder.ts';
import { oddCodeOf, type OddDrop } from './claims/odd-drop.ts';

export type CompleteBy = { by: 'quiet'; quietMs: number; probes: number } | { by: 'marker'; suffix: string };

export type FolderRules = { path: string; complete: CompleteBy };

/** How the file was established to be whole; reported in the acknowledgement. */
export type Completeness = 'sidecar' | 'marker' | 'quiet';

/** A file as it was seen: its path, and the values that reveal a replacement. */
export type SeenFile = { path: Buffer; bytes: number; mtimeMs: number };

export type Candidate = SeenFile & {
  name: string;
  /** When it was first seen in its present shape, in ms since 1970. */
  sinceMs: number;
  inode: bigint;
  completeness: Completeness;
  sidecar?: SeenFile;
  marker?: SeenFile;
};

/** `sinceMs`: when it was first seen in its present shape, in ms since 1970. `code`: why it is no plain file. */
export type Waiting = { name: string; sinceMs: number; code?: OddDrop['code'] };

/**
 * Content of a drop folder, longest untouched first. `settled` may be claimed, `settling` may still be written,
 * `unmarked` lacks its marker, `odd` goes to quarantine.
 */
export type Scan = { settled: Candidate[]; settling: Waiting[]; unmarked: Waiting[]; odd: OddDrop[] };

export type FolderScanner = { scan(): Promise<Scan> };

/**
 * Scans a drop folder repeatedly. Every scan is a full listing, so a missed event costs time but never a file. Nothing
 * is opened or followed. Sightings are remembered by name between scans and forgotten when the file is gone. A folder
 * may hold tens of thousands of drops, so everything that goes through them lets other work run in between.
 */
export function createFolderScanner(rules: FolderRules, clock: Clock): FolderScanner {
  let sightings = new Map<string, Sighting>();
  return {
    async scan() {
      // A listing takes time. A sighting counts from its end, and what is quiet is judged as of its beginning.
      const beganMs = clock.now().getTime();
      const entries = (await listFolder(rules.path, (key) => !isIgnoredName(key))).sort(byAge);
      const nowMs = clock.now().getTime();
      const seen = new Map<string, Sighting>();
      for await (const slice of inSlices(entries))
        for (const { key, stats } of slice) seen.set(key, noteSighting(sightings.get(key), shapeOf(stats), nowMs));
      sightings = seen;
      return await setUnreadableAside(await sortEntries(entries, sightings, rules.complete, beganMs));
    },
  };
}

function byAge({ stats: one, key }: FolderEntry, { stats: other, key: otherKey }: FolderEntry): number {
  if (one.mtimeNs !== other.mtimeNs) return one.mtimeNs < other.mtimeNs ? -1 : 1;
  return key < otherKey ? -1 : 1;
}

/**
 * Returns everything whose change restarts the wait. It includes the kind, because an uploader may publish through a
 * link that it soon removes.
 */
function shapeOf(stats: FolderEntry['stats']): string {
  return [oddCodeOf(stats) ?? 'plain', stats.ino, stats.size, stats.mtimeNs].join(' ');
}

/** Anything that is not a plain file waits like a file, because an uploading program may be working there. */
const ODD_RULE: QuietRule = { quietMs: 10_000, probes: 3 };

async function sortEntries(
  entries: readonly FolderEntry[],
  sightings: ReadonlyMap<string, Sighting>,
  complete: CompleteBy,
  nowMs: number,
): Promise<Scan> {
  const scan: Scan = { settled: [], settling: [], unmarked: [], odd: [] };
  const byKey = new Map<string, FolderEntry>();
  for await (const slice of inSlices(entries)) for (const entry of slice) byKey.set(entry.key, entry);
  const rule = complete.by === 'quiet' ? complete : ODD_RULE;
  const sinceMs = ({ key }: FolderEntry) => sightings.get(key)?.sinceMs ?? nowMs;
  const isStill = ({ key }: FolderEntry): boolean => {
    const sighting = sightings.get(key);
    return sighting !== undefined && isQuiet(sighting, rule, nowMs);
  };

  const place = (entry: FolderEntry): void => {
    const { key, name, path } = entry;
    const waiting = { name, sinceMs: sinceMs(entry) };
    const code = oddCodeOf(entry.stats);
    const sidecar = byKey.get(key + SIDECAR);
    if (code !== undefined) {
      if (isStill(entry)) scan.odd.push({ name, path, code });
      else scan.settling.push({ ...waiting, code });
    } else if (complete.by === 'marker') {
      // The sender writes the marker last, so it vouches for the sidecar too.
      const marker = byKey.get(key + latin1(complete.suffix));
      if (!marker?.stats.isFile()) scan.unmarked.push(waiting);
      else if (marker !== sidecar || isQuiet(sightings.get(key + SIDECAR)!, CONTROL_RULE, nowMs))
        scan.settled.push(toCandidate(entry, sinceMs(entry), sidecar, marker));
      else scan.settling.push(waiting);
    } else {
      const marker = quietMarkerOf(entry, byKey);
      const parts = sidecar ? [entry, sidecar] : [entry];
      const isVouched = marker && parts.every(({ stats }) => stats.mtimeNs <= marker.stats.mtimeNs);
      if (isVouched || parts.every(isStill)) scan.settled.push(toCandidate(entry, sinceMs(entry), sidecar, marker));
      else scan.settling.push(waiting);
    }
  };
  for await (const slice of inSlices(entries))
    for (const entry of slice) if (!isCompanion(entry, byKey, complete)) place(entry);
  return scan;
}

/** Ending of a control file name, appended to the name of its payment file. */
export const SIDECAR = '.ctl';

/** A control file that doubles as the marker has content, and appears before its last byte is written. */
export const CONTROL_RULE: QuietRule = { quietMs: 1_000, probes: 2 };

/** Converts a suffix to the one-character-per-byte form of a key. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/**
 * Returns whether an entry is a sidecar or marker. These are never drops, even if they arrive first or stay behind. In
 * a folder that waits for quiet, that is true only beside the drop: alone, such a name may be a payment file.
 */
function isCompanion({ key, stats }: FolderEntry, byKey: Map<string, FolderEntry>, complete: CompleteBy): boolean {
  if (key.endsWith(SIDECAR)) return true;
  if (complete.by === 'marker') return key.endsWith(latin1(complete.suffix)) && stats.isFile();
  const drop = key.endsWith(USUAL_MARKER) ? byKey.get(key.slice(0, -USUAL_MARKER.length)) : undefined;
  return drop !== undefined && !isCompanion(drop, byKey, complete) && quietMarkerOf(drop, byKey)?.key === key;
}

/**
 * Returns the empty file with which a sender ends the wait for quiet. It says that the drop is whole, so it counts only
 * if it is not older than the drop's last change. With content it is a drop of its own.
 */
function quietMarkerOf({ key, stats }: FolderEntry, byKey: Map<string, FolderEntry>): FolderEntry | undefined {
  const marker = byKey.get(key + USUAL_MARKER);
  if (!marker || marker.stats.size > 0n) return undefined;
  return (oddCodeOf(stats) ?? oddCodeOf(marker.stats)) ? undefined : marker;
}

function toCandidate(entry: FolderEntry, sinceMs: number, sidecar?: FolderEntry, marker?: FolderEntry): Candidate {
  return {
    ...toSeenFile(entry),
    name: entry.name,
    sinceMs,
    inode: entry.stats.ino,
    completeness: sidecar ? 'sidecar' : marker ? 'marker' : 'quiet',
    ...(sidecar && { sidecar: toSeenFile(sidecar) }),
    ...(marker && { marker: toSeenFile(marker) }),
  };
}

function toSeenFile({ path, stats }: FolderEntry): SeenFile {
  return { path, bytes: Number(stats.size), mtimeMs: Number(stats.mtimeMs) };
}

/** Moves unreadable files to `odd`. Once claimed, they would fail only at intake, far from the sender's folder. */
async function setUnreadableAside(scan: Scan): Promise<Scan> {
  const settled: Candidate[] = [];
  const odd = [...scan.odd];
  for await (const slice of inSlices(scan.settled)) {
    const readable = await Promise.all(slice.map(mayRead));
    for (const [index, drop] of slice.entries()) {
      if (readable[index]) settled.push(drop);
      else odd.push({ name: drop.name, path: drop.path, code: 'DROP_UNREADABLE' });
    }
  }
  return { ...scan, settled, odd };
}

async function mayRead({ path }: Candidate): Promise<boolean> {
  try {
    await access(path, constants.R_OK);
    return true;
  } catch (error) {
    // A file that is gone by now is not unreadable; the claim will notice.
    return systemCode(error) !== 'EACCES' && systemCode(error) !== 'EPERM';
  }
}

/**
 * When a drop counts as settled. The only outside evidence is that nothing about it changes. So a drop is quiet once
 * `probes` scans that span at least `quietMs` saw it in the same shape.
 * The minimum age of `quietMs` since the last change follows, because that change precedes the first sighting of the
 * present shape. The time stamp itself is ignored: a file server's clock may run ahead of ours, and a future stamp
 * would hold the file back forever.
 */
type QuietRule = { quietMs: number; probes: number };

/** `sinceMs` is the first sighting of the present shape, in ms since 1970. */
export type Sighting = { shape: string; sinceMs: number; probes: number };

/**
 * Records one sighting of a drop. Any change restarts the count. So does a clock set back before the first sighting,
 * because the elapsed time is then unknown.
 */
export function noteSighting(earlier: Sighting | undefined, shape: string, nowMs: number): Sighting {
  if (earlier?.shape !== shape || nowMs < earlier.sinceMs) return { shape, sinceMs: nowMs, probes: 1 };
  return { ...earlier, probes: earlier.probes + 1 };
}

export function isQuiet(sighting: Sighting, rule: QuietRule, nowMs: number): boolean {
  return sighting.probes >= rule.probes && Math.max(0, nowMs - sighting.sinceMs) >= rule.quietMs;
}
