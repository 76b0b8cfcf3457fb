import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Completeness } from '../../schemas/lifecycle.ts';
import type { Clock } from '../kernel/clock.ts';
import { systemCode } from '../kernel/errors.ts';
import {
  type CompanionKind,
  type CompleteBy,
  type Found,
  gatherCompanions,
  isMovedIn,
  isQuiet,
  judgeDrop,
  looksMovedIn,
  type Missing,
  noteSighting,
  type Part,
  partsOf,
  type QuietRule,
  readCompanionName,
  type Sighting,
  usableCompanions,
} from './completeness.ts';
import { displayName, isIgnoredName } from './file-names.ts';
import { type FolderEntry, inSlices, listFolder } from './list-folder.ts';
import { oddCodeOf, type OddDrop } from './claims/odd-drop.ts';

export type FolderRules = { path: string; complete: CompleteBy };

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

/**
 * `sinceMs`: when it was first seen in its present shape, in ms since 1970. `code`: why it is no plain file. `lacks`:
 * what its folder waits for. `movedInSinceMs`: since when a file that looks moved in is the same, where that shortens its wait.
 */
export type Waiting = {
  name: string;
  sinceMs: number;
  movedInSinceMs?: number;
  code?: OddDrop['code'];
  lacks?: Missing;
};

/** A control file or marker without its payment file. `of`: shown name of that file. */
export type LoneCompanion = SeenFile & {
  name: string;
  of: string;
  kind: CompanionKind;
  sinceMs: number;
  /** Whether it has come to rest, so that its sender is not about to write the payment file or the rest of it. */
  isStill: boolean;
};

/**
 * Content of a drop folder, longest untouched first. `settled` may be claimed, `settling` may still be written,
 * `unmarked` lacks its marker, `odd` goes to quarantine, `lone` belongs to a payment file that is not there.
 */
export type Scan = {
  settled: Candidate[];
  settling: Waiting[];
  unmarked: Waiting[];
  odd: OddDrop[];
  lone: LoneCompanion[];
};

export type FolderScanner = { scan(): Promise<Scan> };

/**
 * Scans a drop folder repeatedly. Every scan is a full listing, so a missed event costs time but never a file. Nothing
 * is opened or followed. Sightings are remembered by name between scans and forgotten when the file is gone. A folder
 * may hold tens of thousands of drops, so everything that goes through them lets other work run in between.
 */
export function createFolderScanner(rules: FolderRules, clock: Clock): FolderScanner {
  let sightings = new Map<string, SeenTwice>();
  return {
    async scan() {
      // A listing takes time. A sighting counts from its end, and what is quiet is judged as of its beginning.
      const beganMs = clock.now().getTime();
      const entries = (await listFolder(rules.path, (key) => !isIgnoredName(key))).sort(byAge);
      const nowMs = clock.now().getTime();
      const seen = new Map<string, SeenTwice>();
      for await (const slice of inSlices(entries))
        for (const { key, stats } of slice) {
          const [earlier, shape] = [sightings.get(key), shapeOf(stats)];
          const status = noteSighting(earlier?.status, `${shape} ${stats.ctimeNs}`, nowMs);
          seen.set(key, { ...noteSighting(earlier, shape, nowMs), status });
        }
      sightings = seen;
      return await setUnreadableAside(await sortEntries(entries, sightings, rules.complete, beganMs));
    },
  };
}

/** `status`: the same sighting, where a change of name, mode or owner counts as well. */
type SeenTwice = Sighting & { readonly status: Sighting };

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
  sightings: ReadonlyMap<string, SeenTwice>,
  complete: CompleteBy,
  nowMs: number,
): Promise<Scan> {
  const scan: Scan = { settled: [], settling: [], unmarked: [], odd: [], lone: [] };
  // A link or a folder is no marker, whatever its name; an odd control file holds its payment file.
  const listed = entries
    .filter(({ key, stats }) => readCompanionName(key, complete)?.kind === 'control' || !oddCodeOf(stats))
    .map((entry) => ({ key: entry.key, isEmpty: entry.stats.size === 0n, entry }));
  const companions = gatherCompanions(listed, complete);
  const drops = new Set<string>();
  for (const { key } of entries) if (!readCompanionName(key, complete)) drops.add(key);
  const sinceMs = ({ key }: FolderEntry) => sightings.get(key)?.sinceMs ?? nowMs;
  const partOf = ({ key, stats }: FolderEntry): Part => ({
    changedAt: stats.mtimeNs,
    isStill: (rule) => isQuiet(sightings.get(key)!, rule, nowMs),
    isMovedIn: (movedInMs) => isMovedIn(sightings.get(key)!.status, stats, movedInMs, nowMs),
  });
  const restRule = complete.by === 'quiet' ? complete : ODD_RULE;

  const place = (entry: FolderEntry): void => {
    const { key, name, path } = entry;
    const waiting = { name, sinceMs: sinceMs(entry) };
    const code = oddCodeOf(entry.stats);
    const belongsTo = readCompanionName(key, complete);
    if (code !== undefined && !(belongsTo && drops.has(belongsTo.of) && belongsTo.kind === 'control')) {
      if (partOf(entry).isStill(restRule)) scan.odd.push({ name, path, code });
      else scan.settling.push({ ...waiting, code });
    } else if (belongsTo) {
      const of = displayName(Buffer.from(belongsTo.of, 'latin1'));
      if (!drops.has(belongsTo.of) && code === undefined)
        scan.lone.push({
          ...toSeenFile(entry),
          ...waiting,
          of,
          kind: belongsTo.kind,
          isStill: partOf(entry).isStill(restRule),
        });
    } else {
      const found = usableCompanions(companions.get(key) ?? {}, complete);
      const parts = partsOf(found, ({ entry: part }) => partOf(part));
      const verdict = judgeDrop(partOf(entry), parts, complete);
      if (verdict.is === 'settled') scan.settled.push(toCandidate(entry, waiting.sinceMs, verdict.completeness, found));
      else if (verdict.is === 'settling') {
        const isShorter = complete.by === 'quiet' && complete.movedInMs !== undefined && looksMovedIn(entry.stats);
        const movedInSinceMs = isShorter ? sightings.get(key)?.status.sinceMs : undefined;
        scan.settling.push({ ...waiting, ...(movedInSinceMs !== undefined && { movedInSinceMs }) });
      } else scan.unmarked.push({ ...waiting, lacks: verdict.lacks });
    }
  };
  for await (const slice of inSlices(entries)) for (const entry of slice) place(entry);
  return scan;
}

function toCandidate(
  entry: FolderEntry,
  sinceMs: number,
  completeness: Completeness,
  { control, marker }: Found<{ entry: FolderEntry }>,
): Candidate {
  return {
    ...toSeenFile(entry),
    name: entry.name,
    sinceMs,
    inode: entry.stats.ino,
    completeness,
    ...(control && { sidecar: toSeenFile(control.entry) }),
    // One that is too old goes with its file as well, so that it vouches for no later one.
    ...(marker && { marker: toSeenFile(marker.entry) }),
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
