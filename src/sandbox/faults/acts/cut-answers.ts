import { STATUS_CODES } from 'node:http';
import { headersOf, type Reply } from '../../reply.ts';
import type { Step } from '../play-steps.ts';

/** Answers that arrive incomplete or late. */

export const finish = (): Step[] => [{ do: 'finish' }];
export const reset = (): Step[] => [{ do: 'reset' }];
export const hang = (): Step[] => [{ do: 'hang' }];
export const sendWhole = (reply: Reply): Step[] => [write(httpBytes(reply).whole), { do: 'finish' }];
export const sendHeadOnly = (reply: Reply): Step[] => [write(httpBytes(reply).head), { do: 'hang' }];
export const cutAndClose = (reply: Reply): Step[] => [...writeHalf(reply), { do: 'finish' }];

/** Waits before the reset so that the half arrives: a reset may overtake data in transit. */
export function cutAndReset(reply: Reply): Step[] {
  return [...writeHalf(reply), { do: 'wait', ms: ARRIVAL_MS }, { do: 'reset' }];
}

/** Sends half without a length. The end of the connection then ends the answer, so HTTP shows nothing missing. */
export function cutWithoutLength(reply: Reply): Step[] {
  return [...writeHalf(reply, { 'Content-Length': undefined }), { do: 'finish' }];
}

/** Sends half of the document with the right length of that half. */
export const cutDocument = (reply: Reply): Step[] => sendWhole({ ...reply, body: halfOf(Buffer.from(reply.body)) });
export const announceTooMuch = (reply: Reply): Step[] => [...writeAnnounced(reply, 100), { do: 'finish' }];
export const announceTooLittle = (reply: Reply): Step[] => [...writeAnnounced(reply, -20), { do: 'finish' }];

export function breakChunk(reply: Reply): Step[] {
  return [...writeChunk(reply), write('not a length\r\nmore\r\n'), { do: 'finish' }];
}

export const cutChunks = (reply: Reply): Step[] => [...writeChunk(reply), { do: 'finish' }];

export function drip(reply: Reply, { delayMs }: { readonly delayMs: number }): Step[] {
  return [{ do: 'drip', bytes: httpBytes(reply).whole, everyMs: delayMs }, { do: 'finish' }];
}

export function delay(reply: Reply, { delayMs }: { readonly delayMs: number }): Step[] {
  return [{ do: 'wait', ms: delayMs }, ...sendWhole(reply)];
}

const ARRIVAL_MS = 20;

function write(bytes: string | Buffer): Step {
  return { do: 'write', bytes };
}

function writeHalf(reply: Reply, changes: Record<string, undefined> = {}): Step[] {
  const { head, body } = httpBytes(reply, changes);
  return [write(head), write(halfOf(body))];
}

function writeAnnounced(reply: Reply, moreBytes: number): Step[] {
  const announced = Math.max(0, Buffer.byteLength(reply.body) + moreBytes);
  return [write(httpBytes(reply, { 'Content-Length': String(announced) }).whole)];
}

/** Writes the whole document as one chunk; the caller adds what follows. */
function writeChunk(reply: Reply): Step[] {
  const { head, body } = httpBytes(reply, { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' });
  return [write(head), write(`${body.length.toString(16)}\r\n`), write(body), write('\r\n')];
}

function halfOf(body: Buffer): Buffer {
  return body.subarray(0, Math.ceil(body.length / 2));
}

/**
 * Returns an answer as HTTP bytes, so that a fault can send parts of it. It announces the end of the connection.
 * @param changes headers that replace those of the answer; an undefined value omits the header
 */
export function httpBytes(
  reply: Reply,
  changes: Readonly<Record<string, string | undefined>> = {},
): { readonly head: Buffer; readonly body: Buffer; readonly whole: Buffer } {
  const headers = Object.entries({ ...headersOf(reply), Connection: 'close', ...changes });
  const lines = headers.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const status = `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ''}`;
  const head = Buffer.from([status, ...lines, '', ''].join('\r\n'));
  const body = Buffer.from(reply.body);
  return { head, body, whole: Buffer.concat([head, body]) };
}
