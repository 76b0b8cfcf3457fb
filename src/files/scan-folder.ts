import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Clock } from '../kernel/clock.ts';
import { systemCode } from '../kernel/errors.ts';
import { isIgnoredName } from './ignored-name.ts';
import { type FolderEntry, listFolder } from './list-folder.ts';
import { type OddDrop, oddCodeOf } from './claims/odd-drop.ts';
import { isQuiet, noteSighting, type QuietRule, type Sighting } from './settle.ts';

export type CompleteBy = { by: 'quiet'; quietMs: number; probes: number } | { by: 'marker'; suffix: string };

export type FolderRules = { path: string; complete: CompleteBy };

/** How it was established that the whole file is there; said in the acknowledgement. */
export type Completeness = 'sidecar' | 'marker' | 'quiet';

/** A file as it was seen: where, and what would show that another one has taken its place. */
export type SeenFile = { path: Buffer; bytes: number; mtimeMs: number };

export type Candidate = SeenFile & {
  /** For people; see displayName. */
  name: string;
  inode: bigint;
  completeness: Completeness;
  sidecar?: SeenFile;
  marker?: SeenFile;
};

/** `sinceMs`: when it was first seen in its present shape, in ms since 1970. */
export type Waiting = { name: string; sinceMs: number };

/**
 * What lies in a drop folder, the longest untouched first.
 * `settled` may be claimed, `settling` may still be written, `unmarked` lacks its marker, `odd` goes to quarantine.
 */
export type Scan = { settled: Candidate[]; settling: Waiting[]; unmarked: Waiting[]; odd: OddDrop[] };

export type FolderScanner = { scan(): Promise<Scan> };

/**
 * Looks at a drop folder as a whole, time after time. Every look is a full listing, so a missed
 * event costs time and never a file. Nothing is opened or followed. What was seen is remembered per name between looks
 * and forgotten with the file.
 */
export function createFolderScanner(rules: FolderRules, clock: Clock): FolderScanner {
  let sightings = new Map<string, Sighting>();
  return {
    async scan() {
      const entries = (await listFolder(rules.path)).filter((entry) => !isIgnoredName(entry.key)).sort(byAge);
      const nowMs = clock.now().getTime();
      sightings = new Map(
        entries.map(({ key, stats }) => [key, noteSighting(sightings.get(key), shapeOf(stats), nowMs)]),
      );
      return await setUnreadableAside(sortEntries(entries, sightings, rules.complete, nowMs));
    },
  };
}

function byAge(one: FolderEntry, other: FolderEntry): number {
  return Number(one.stats.mtimeNs - other.stats.mtimeNs) || (one.key < other.key ? -1 : 1);
}

/** Everything whose change restarts the wait. The kind is in it: an uploader may publish by a link that soon goes. */
function shapeOf(stats: FolderEntry['stats']): string {
  return [oddCodeOf(stats) ?? 'plain', stats.ino, stats.size, stats.mtimeNs].join(' ');
}

/** What is not a plain file waits like a file, because it may be the working place of an uploading program. */
const ODD_RULE: QuietRule = { quietMs: 10_000, probes: 3 };

function sortEntries(
  entries: FolderEntry[],
  sightings: Map<string, Sighting>,
  complete: CompleteBy,
  nowMs: number,
): Scan {
  const scan: Scan = { settled: [], settling: [], unmarked: [], odd: [] };
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const rule = complete.by === 'quiet' ? complete : ODD_RULE;
  const isStill = ({ key }: FolderEntry): boolean => {
    const sighting = sightings.get(key);
    return sighting !== undefined && isQuiet(sighting, rule, nowMs);
  };

  for (const entry of entries.filter((one) => !isCompanion(one, complete))) {
    const { key, name, path } = entry;
    const waiting = { name, sinceMs: sightings.get(key)?.sinceMs ?? nowMs };
    const code = oddCodeOf(entry.stats);
    const sidecar = byKey.get(key + SIDECAR);
    if (code !== undefined) {
      if (isStill(entry)) scan.odd.push({ name, path, code });
      else scan.settling.push(waiting);
    } else if (complete.by === 'marker') {
      // The sender's marker is the last thing written and speaks for the sidecar too.
      const marker = byKey.get(key + latin1(complete.suffix));
      if (!marker?.stats.isFile()) scan.unmarked.push(waiting);
      else if (marker !== sidecar || isQuiet(sightings.get(key + SIDECAR)!, CONTROL_RULE, nowMs))
        scan.settled.push(toCandidate(entry, sidecar, marker));
      else scan.settling.push(waiting);
    } else if (isStill(entry) && (sidecar === undefined || isStill(sidecar))) {
      scan.settled.push(toCandidate(entry, sidecar));
    } else {
      scan.settling.push(waiting);
    }
  }
  return scan;
}

/** Ending of the name of a control file, behind the name of its payment file. */
export const SIDECAR = '.ctl';

/** A control file that is the marker as well has bytes, and is there before the last of them is. */
export const CONTROL_RULE: QuietRule = { quietMs: 1_000, probes: 2 };

/** A suffix as the bytes of a name, in the one character per byte of a key. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Sidecars and markers go with their file and are never drops themselves, also when they come first or stay behind. */
function isCompanion({ key, stats }: FolderEntry, complete: CompleteBy): boolean {
  if (key.endsWith(SIDECAR)) return true;
  return complete.by === 'marker' && key.endsWith(latin1(complete.suffix)) && stats.isFile();
}

function toCandidate(entry: FolderEntry, sidecar?: FolderEntry, marker?: FolderEntry): Candidate {
  return {
    ...toSeenFile(entry),
    name: entry.name,
    inode: entry.stats.ino,
    completeness: sidecar ? 'sidecar' : marker ? 'marker' : 'quiet',
    ...(sidecar && { sidecar: toSeenFile(sidecar) }),
    ...(marker && { marker: toSeenFile(marker) }),
  };
}

function toSeenFile({ path, stats }: FolderEntry): SeenFile {
  return { path, bytes: Number(stats.size), mtimeMs: Number(stats.mtimeMs) };
}

/** A file we may move but not read would be claimed and then fail at intake, far from the folder of its sender. */
async function setUnreadableAside(scan: Scan): Promise<Scan> {
  const readable = await Promise.all(scan.settled.map(mayRead));
  const unreadable = scan.settled.filter((_, index) => !readable[index]);
  return {
    ...scan,
    settled: scan.settled.filter((_, index) => readable[index]),
    odd: [...scan.odd, ...unreadable.map(({ name, path }): OddDrop => ({ name, path, code: 'DROP_UNREADABLE' }))],
  };
}

async function mayRead({ path }: Candidate): Promise<boolean> {
  try {
    await access(path, constants.R_OK);
    return true;
  } catch (error) {
    // A file that has gone meanwhile is not unreadable; the claim will find out.
    return systemCode(error) !== 'EACCES' && systemCode(error) !== 'EPERM';
  }
}
