import { extname, join } from 'node:path';
import { isNameTaken, type WaitingDrop, writeDrop } from '../../files/write-drop.ts';
import type { App } from '../../app.ts';
import type { Folder } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskName } from '../../kernel/mask.ts';
import { forgetUpload, noteUpload } from '../../ledger/file/note-upload.ts';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { groupedCount } from '../../kernel/counted.ts';

/** A file to be written into its folder; `sha256` is that of the checked bytes. */
type UploadedFile = {
  name: string;
  sha256: string;
  source: AsyncIterable<Uint8Array>;
  actor: string;
  /** Id of the file that it corrects. */
  replaces?: string | undefined;
  /** Throws when the actor may no longer drop files; asked when all bytes are there. */
  mayStill: () => Promise<void>;
};

type UploadResult =
  | { readonly is: 'dropped'; readonly uploadNo: number }
  | { readonly is: 'other-bytes' }
  | { readonly is: 'name-taken'; readonly free: string };

/**
 * Writes a file into its drop folder under a name that watchers ignore, compares it with the checked bytes, and renames
 * it in one step. The ledger records the upload before the rename, because the file may be claimed at once. A failure
 * leaves nothing in the folder.
 * @throws PipelineError DISK_FULL, FOLDER_NOT_WRITABLE, FOLDER_MISSING, LEDGER_UNREACHABLE; what the source throws
 */
export async function takeUpload(app: App, folder: Folder, file: UploadedFile): Promise<UploadResult> {
  const drop = await unlessTaken(() => writeDrop(folder, file.name, file.source));
  if (!drop) return nameTaken(folder, file.name);
  try {
    if (drop.sha256 !== file.sha256) return { is: 'other-bytes' };
    await file.mayStill();
    return await publishNoted(app, folder, file, drop);
  } finally {
    await drop.discard();
  }
}

async function publishNoted(
  app: App,
  folder: Folder,
  { name, actor, replaces }: UploadedFile,
  drop: WaitingDrop,
): Promise<UploadResult> {
  const { sha256, bytes } = drop;
  const upload = { account: folder.account, folder: folder.id, name: maskName(name), sha256, bytes, actor, replaces };
  const uploadNo = await noteUpload(app.ledger, upload);
  const isPublished = await unlessTaken(async () => {
    await drop.publish();
    return true;
  });
  if (isPublished) return { is: 'dropped', uploadNo };
  await forgetUpload(app.ledger, uploadNo, actor, 'not dropped: another file has this name');
  return nameTaken(folder, name);
}

async function unlessTaken<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'OUTPUT_EXISTS') return undefined;
    throw error;
  }
}

async function nameTaken(folder: Folder, name: string): Promise<UploadResult> {
  const ending = extname(name);
  const stem = name.slice(0, name.length - ending.length);
  for (let number = 2; ; number += 1) {
    const free = `${stem}-${number}${ending}`;
    if (!(await isNameTaken(join(folder.path, free), folder.complete))) return { is: 'name-taken', free };
  }
}

/** Why a file's bytes did not arrive completely, in words for the sender. */
export class BodyRefusal extends Error {
  readonly statusCode: number;
  readonly code: keyof typeof STATUS;

  constructor(code: BodyRefusal['code'], says: string) {
    super(says);
    this.code = code;
    this.statusCode = STATUS[code];
  }
}

const STATUS = { FILE_TOO_LARGE: 413, BROKEN_OFF: 400, STALLED: 408, TOO_SLOW: 408, BUSY: 503 } as const;

/** Longest wait for the next piece of a file, in ms. */
const IDLE_MS = 30_000;

/** The slowest upload: after the grace its average must be 16 kB a second. A slower one keeps a turn from others. */
const SLOWEST = { graceMs: 30_000, bytesPerMs: 16 };

type BodyLimits = { maxBytes: number; idleMs?: number; slowest?: typeof SLOWEST };

/**
 * Yields the bytes of a request only as fast as they are taken. Throws a BodyRefusal when there are too many, or when
 * they stop coming or come too slowly. Time in which nothing is taken does not count. The request stays open, so that it can still be answered.
 */
export async function* readBody(
  source: Readable,
  { maxBytes, idleMs = IDLE_MS, slowest = SLOWEST }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = source.iterator({ destroyOnReturn: false });
  let [bytes, waitedMs] = [0, 0];
  for (;;) {
    const leftMs = slowest.graceMs + bytes / slowest.bytesPerMs - waitedMs;
    const begun = performance.now();
    const piece = await inTime(pieces.next(), Math.min(leftMs, idleMs), leftMs < idleMs ? tooSlow : stalled);
    waitedMs += performance.now() - begun;
    if (piece.done) return;
    bytes += piece.value.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield piece.value;
  }
}

export function tooLarge(maxBytes: number): BodyRefusal {
  const says = `The file is larger than the folder allows: at most ${groupedCount(maxBytes, 'byte')}. Split it.`;
  return new BodyRefusal('FILE_TOO_LARGE', says);
}

function stalled(): BodyRefusal {
  return new BodyRefusal('STALLED', 'The upload stopped. Send the file again.');
}

function tooSlow(): BodyRefusal {
  const says = 'The upload is too slow, and others wait for their turn. Send the file again over a faster connection.';
  return new BodyRefusal('TOO_SLOW', says);
}

async function inTime<Piece>(piece: Promise<Piece>, longestMs: number, refuse: () => BodyRefusal): Promise<Piece> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(refuse()), longestMs);
  });
  try {
    return await Promise.race([piece.catch(brokenOff), late]);
  } finally {
    clearTimeout(timer);
  }
}

function brokenOff(): never {
  throw new BodyRefusal('BROKEN_OFF', 'The connection broke off before the whole file arrived. Send it again.');
}

/** How long a browser may keep sending after the answer, in ms. */
const DRAIN_MS = 60_000;

/**
 * Discards the rest of a request that is already answered. Closing at once would reset the connection, and the browser
 * would show its own error instead of the answer.
 */
export function drainBody(request: IncomingMessage, longestMs = DRAIN_MS): void {
  if (request.destroyed || request.readableEnded) return;
  const timer = setTimeout(() => request.destroy(), longestMs);
  request.once('close', () => clearTimeout(timer));
  // A client that disconnects now already has its answer.
  request.once('error', () => {});
  // A reader's `readable` listener would keep the stream from flowing, even after the reader stops.
  request.removeAllListeners('readable');
  request.resume();
}
