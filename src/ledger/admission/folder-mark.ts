import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { uptime } from 'node:os';
import { dirname, join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { systemCode } from '../../kernel/errors.ts';
import { makeFolders, syncFolder } from '../../kernel/folders.ts';
import { parseLine } from './parse-line.ts';

/** What shows whether a data folder is the one that was written last. */
export type FolderMark = {
  /** Changes when the folder was put back or copied, and with each start of the machine. */
  readonly generation: string;
  /** When it was last found to be put back or copied, and when this copy was last known to be the newest. */
  readonly putBack?: PutBack | undefined;
};

export type PutBack = { readonly noticedAt: string; readonly since: string };

/** How long status and doctor show it, in ms. The service cannot tell much of calls that are older. */
const SHOWN_MS = 30 * 86_400_000;

/** As the mark's file holds it: with what the system said of that very file when it was written. */
type Written = FolderMark & { inode: string; born: string; boot: string; at: string; journalBytes: number };

/**
 * Compares a data folder with the mark in it. The mark names its own file by inode and time of birth. Every copy,
 * whether by `cp`, `rsync` or `tar`, gets others, and so does a copy that is put back. A restart of the program, the
 * machine or a container keeps both; so do moves and renames. The device is left out, because a restart may change it.
 *
 * A roll-back of the disk itself (ZFS, LVM, a snapshot of a volume) keeps the file as it was. Nothing inside the folder
 * can show that; the look-ahead asks the service instead.
 * @param journal path of the send journal; the mark lies beside it
 */
export async function openFolderMark(journal: string, clock: Clock): Promise<FolderMark & { isPutBackNow: boolean }> {
  const [now, boot, seen, journalBytes] = [
    clock.now().toISOString(),
    await readBoot(clock),
    await readMark(journal),
    await sizeOf(journal),
  ];
  // A new folder has no mark, and nothing was sent from it.
  const isPutBack = seen === undefined ? journalBytes > 0 : !seen.isOwn;
  if (seen?.isOwn && seen.boot === boot) return { ...seen, isPutBackNow: false };
  const putBack = isPutBack ? { noticedAt: now, since: seen?.at ?? NOT_KNOWN } : seen?.putBack;
  const written = await writeMark(journal, { generation: randomUUID(), putBack, boot, at: now, journalBytes });
  return { ...written, isPutBackNow: isPutBack };
}

/**
 * Gives the mark a new file if something was sent since. A copy made before then differs from it, even one that is
 * written over the files in place.
 */
export async function renewFolderMark(journal: string, clock: Clock): Promise<void> {
  const seen = await readMark(journal);
  const journalBytes = await sizeOf(journal);
  if (!seen?.isOwn || seen.journalBytes === journalBytes) return;
  const { generation, putBack, boot } = seen;
  await writeMark(journal, { generation, putBack, boot, at: clock.now().toISOString(), journalBytes });
}

/** Returns whether the folder was put back or copied lately, without changing anything. */
export async function findPutBack(journal: string, clock: Clock): Promise<PutBack | undefined> {
  const now = clock.now();
  const seen = await readMark(journal);
  if (seen && !seen.isOwn) return { noticedAt: now.toISOString(), since: seen.at };
  const { putBack } = seen ?? {};
  return putBack && now.getTime() - Date.parse(putBack.noticedAt) < SHOWN_MS ? putBack : undefined;
}

/** Says what happened, and what stays unknown. */
export function sayPutBack({ noticedAt, since }: PutBack): string {
  const from = since === NOT_KNOWN ? '' : ` after ${since}`;
  return `the data folder was put back or copied${from} (noticed ${noticedAt}): what was sent meanwhile is known to the service alone. Before its next call, each account asks the service for batches that are missing here`;
}

/** What a user does about a folder that was put back. */
export const COMPARE =
  'Compare each account with a report of the service: "paydrop account reconcile NAME --report FILE".';

/** Stands for the time of a folder whose mark is gone. */
const NOT_KNOWN = 'not known';

async function readMark(journal: string): Promise<(Written & { isOwn: boolean }) | undefined> {
  const file = await open(pathOf(journal), 'r').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    const written = parseLine(await file.readFile('utf8')) as Written | undefined;
    const own = await identityOf(file);
    if (written === undefined)
      return { ...own, generation: '', boot: '', at: NOT_KNOWN, journalBytes: 0, isOwn: false };
    return { ...written, isOwn: written.inode === own.inode && written.born === own.born };
  } finally {
    await file.close();
  }
}

/** The file is renamed into its place with its identity already in it. */
async function writeMark(journal: string, mark: Omit<Written, 'inode' | 'born'>): Promise<Written> {
  const [folder, path] = [dirname(journal), pathOf(journal)];
  await makeFolders(folder, 0o700);
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    const written = { ...mark, ...(await identityOf(file)) };
    await file.writeFile(JSON.stringify(written));
    await file.datasync();
    await rename(draft, path);
    await syncFolder(folder);
    return written;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

function pathOf(journal: string): string {
  return join(dirname(journal), 'folder-mark.json');
}

/** A file system without times of birth, such as NFS, reports the same one for all files. The inode then decides. */
async function identityOf(file: FileHandle): Promise<Pick<Written, 'inode' | 'born'>> {
  const { ino, birthtimeNs } = await file.stat({ bigint: true });
  return { inode: String(ino), born: String(birthtimeNs) };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** Returns a value that changes with each start of the machine. */
async function readBoot({ now }: Clock): Promise<string> {
  const id = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return id.trim() || `started ${Math.round((now().getTime() / 1_000 - uptime()) / MINUTE_S)}`;
}

/** Without a boot id, the start time stands in, in minutes because clocks are corrected. */
const MINUTE_S = 60;
