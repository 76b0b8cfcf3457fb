import {
  closeSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { groupBy } from '../../../src/kernel/group-by.ts';
import { systemCode } from '../../../src/kernel/errors.ts';

/** Where the state that all processes share has its members (power.c), and its size. */
export const STATE = { lock: 0, off: 4, countdown: 8, bytes: 32 + 65_536 * 8 } as const;

/**
 * Cuts the power, from any process.
 * @param home the folder of the state
 * @param changes how many changes of files are made before; 0 cuts it now
 */
export function cutPowerAfter(home: string, changes: number): void {
  const file = openSync(join(home, 'state'), 'r+');
  const bytes = Buffer.alloc(8);
  if (changes > 0) {
    bytes.writeBigInt64LE(BigInt(changes));
    writeSync(file, bytes, 0, 8, STATE.countdown);
  } else {
    bytes.writeInt32LE(1);
    writeSync(file, bytes, 0, 4, STATE.off);
  }
  closeSync(file);
}

/** What a power cut took away. */
export type Undone = {
  /** Changes in the log that no sync covered, and how many of them are undone. */
  open: number;
  writes: number;
  names: number;
  /** Files whose last change that was left is half done. */
  torn: number;
};

/** In the order of power.c. */
const KINDS = ['none', 'write', 'create', 'unlink', 'rename', 'mkdir', 'rmdir', 'sync'] as const;

type Change = {
  kind: (typeof KINDS)[number];
  at: number;
  trash: number;
  inode: number;
  folder: number;
  offset: number;
  length: number;
  size: number;
  path: string;
  other: string;
  bytes: Buffer;
};

const HEAD_BYTES = 80;
const SECTOR_BYTES = 512;

type Disk = { root: string; trash: string; log: Buffer };

/**
 * Undoes what no sync has covered. In every second cut nothing of that stays. In the others the system had put some of
 * it on the disk already: of each file the first changes, the last of them perhaps half, and the first of all names.
 */
export function playBackwards({ root, trash, log }: Disk, random: () => number): Undone {
  const open = findOpen(readLog(log));
  const isStrict = random() < 0.5;
  const stay = (count: number) => (isStrict || random() < 0.5 ? 0 : Math.floor(random() * (count + 1)));
  const names = open.filter(({ kind }) => kind !== 'write');
  const lostNames = names.slice(stay(names.length));
  const undone: Undone = { open: open.length, writes: 0, names: lostNames.length, torn: 0 };
  const places = findPlaces([root, trash]);
  const writes = open.filter(({ kind }) => kind === 'write');
  for (const changes of groupBy(writes, ({ inode }) => String(inode)).values()) {
    const path = places.get(changes[0]!.inode);
    const lost = changes.slice(stay(changes.length));
    if (path === undefined || lost.length === 0) continue;
    const isTorn = !isStrict && random() < 0.5;
    undoWrites(path, lost, isTorn ? random() : 0);
    undone.writes += lost.length;
    undone.torn += Number(isTorn);
  }
  let folders = places;
  for (const change of lostNames.toReversed()) {
    undoName(change, trash, folders);
    if (change.kind === 'rename' || change.kind === 'rmdir') folders = findPlaces([root]);
  }
  return undone;
}

function readLog(log: Buffer): Change[] {
  const changes: Change[] = [];
  for (let at = 0; at + HEAD_BYTES <= log.length; ) {
    const member = (place: number) => Number(log.readBigInt64LE(at + place * 8));
    const pathAt = at + HEAD_BYTES;
    const otherAt = pathAt + member(7);
    const bytesAt = otherAt + member(8);
    const end = bytesAt + member(9);
    changes.push({
      kind: KINDS[member(0)]!,
      at,
      trash: member(1),
      inode: member(2),
      folder: member(3),
      offset: member(4),
      length: member(5),
      size: member(6),
      path: log.toString('utf8', pathAt, otherAt),
      other: log.toString('utf8', otherAt, bytesAt),
      bytes: log.subarray(bytesAt, end),
    });
    at = end;
  }
  return changes;
}

/** The inode of a sync that covers the whole file system. */
const ALL = 0;

/** Returns the changes that no later sync covers: that of a file covers its bytes and its name, that of a folder names. */
function findOpen(changes: readonly Change[]): Change[] {
  const syncedTo = new Map<number, number>();
  const cover = (inode: number, to: number) => syncedTo.set(inode, Math.max(syncedTo.get(inode) ?? 0, to));
  for (const { kind, inode, offset } of changes) if (kind === 'sync') cover(inode, offset);
  const isCovered = (inode: number, at: number) => at < Math.max(syncedTo.get(inode) ?? 0, syncedTo.get(ALL) ?? 0);
  const isOpen = ({ kind, inode, folder, at }: Change) =>
    !isCovered(inode, at) && (kind === 'write' || !isCovered(folder, at));
  // A folder that is gone for good was empty by then.
  for (const change of changes) {
    if (change.kind === 'rmdir' && !isOpen(change)) cover(change.inode, change.at);
  }
  return changes.filter((change) => change.kind !== 'sync' && isOpen(change));
}

/** Finds the path of every file and folder by its inode. */
function findPlaces(roots: readonly string[]): Map<number, string> {
  const found = roots.flatMap((root) =>
    readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => join(entry.parentPath, entry.name)),
  );
  return new Map([...roots, ...found].map((path) => [lstatSync(path).ino, path]));
}

/** @param stays which part of the first of the changes stays */
function undoWrites(path: string, lost: readonly Change[], stays: number): void {
  const file = openSync(path, 'r+');
  try {
    for (const [index, { offset, length, size, bytes }] of [...lost.entries()].reverse()) {
      const end = offset + (index === 0 ? Math.floor(length * stays) : 0);
      const from = Math.max(offset, end - (end % SECTOR_BYTES));
      const old = bytes.subarray(Math.min(bytes.length, from - offset));
      if (old.length > 0) writeSync(file, old, 0, old.length, from);
      const isLonger = from > offset && from > size;
      ftruncateSync(file, isLonger ? Math.min(from, fstatSync(file).size) : size);
    }
  } finally {
    closeSync(file);
  }
}

/** Finds names by the inode of their folder, because the folder may have another name by now. */
function undoName(change: Change, trash: string, places: ReadonlyMap<number, string>): void {
  const { kind, inode, offset } = change;
  const placeOf = (folder: number, path: string) => {
    const parent = places.get(folder);
    return parent === undefined ? undefined : join(parent, basename(path));
  };
  const path = placeOf(kind === 'rename' ? offset : change.folder, change.path);
  if (path === undefined) return;
  const bringBack = (name: string) => renameSync(join(trash, String(change.trash)), name);
  switch (kind) {
    case 'create':
      if (inodeOf(path) === inode) unlinkSync(path);
      return;
    case 'mkdir':
      if (inodeOf(path) === inode) removeEmpty(path);
      return;
    case 'unlink':
    case 'rmdir':
      if (inodeOf(path) === undefined) bringBack(path);
      return;
    case 'rename': {
      const other = placeOf(change.folder, change.other);
      if (other === undefined || inodeOf(other) !== inode || inodeOf(path) !== undefined) return;
      renameSync(other, path);
      if (change.trash > 0) bringBack(other);
      return;
    }
    case 'none':
    case 'write':
    case 'sync':
      return;
  }
}

function inodeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.ino;
}

/** A file in it that was synced keeps it. */
function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOTEMPTY') throw error;
  }
}
