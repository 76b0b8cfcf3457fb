import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { groupedCount } from '../parts/words.tsx';

/** Why a file's bytes did not arrive completely, in words for the sender. */
export class BodyRefusal extends Error {
  readonly statusCode: number;
  readonly code: 'FILE_TOO_LARGE' | 'BROKEN_OFF' | 'STALLED';

  constructor(code: BodyRefusal['code'], says: string) {
    super(says);
    this.code = code;
    this.statusCode = STATUS[code];
  }
}

const STATUS = { FILE_TOO_LARGE: 413, BROKEN_OFF: 400, STALLED: 408 } as const;

/** Longest wait for the next piece of a file, in ms. */
const IDLE_MS = 30_000;

/**
 * Yields the bytes of a request only as fast as they are taken. Throws a BodyRefusal when there are too many, or when
 * they stop coming. The request stays open, so that it can still be answered.
 */
export async function* readBody(
  source: Readable,
  { maxBytes, idleMs = IDLE_MS }: { maxBytes: number; idleMs?: number },
): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = source.iterator({ destroyOnReturn: false });
  let bytes = 0;
  for (;;) {
    const piece = await inTime(pieces.next(), idleMs);
    if (piece.done) return;
    bytes += piece.value.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield piece.value;
  }
}

export function tooLarge(maxBytes: number): BodyRefusal {
  const says = `The file is larger than the folder takes: at most ${groupedCount(maxBytes, 'byte')}. Split it.`;
  return new BodyRefusal('FILE_TOO_LARGE', says);
}

async function inTime<Piece>(piece: Promise<Piece>, idleMs: number): Promise<Piece> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BodyRefusal('STALLED', 'The file stopped coming. Send it again.')), idleMs);
  });
  try {
    return await Promise.race([piece.catch(brokenOff), late]);
  } finally {
    clearTimeout(timer);
  }
}

function brokenOff(): never {
  throw new BodyRefusal('BROKEN_OFF', 'The connection broke off before the whole file was here. Send it again.');
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
