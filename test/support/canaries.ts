import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../src/kernel/errors.ts';

/** A number that must not be found, in one of the forms in which it could leak. */
type Needle = { number: string; form: string; bytes: Buffer };

/**
 * Searches every byte of every file below some folders for numbers: plain, in UTF-16, in base64 at each of its three
 * alignments, and in hex of either case. Searching for these very numbers, not for what looks like a card number, finds
 * no time stamps.
 * @returns where each was found: `path: form of …last four`
 */
export async function findCanaries(folders: readonly string[], numbers: readonly string[]): Promise<string[]> {
  const needles = numbers.flatMap(needlesOf);
  const found: string[] = [];
  for (const folder of folders) {
    for await (const path of filesBelow(folder)) {
      found.push(...(await searchFile(path, needles).catch(nothingIfGone)));
    }
  }
  return found;
}

function needlesOf(number: string): Needle[] {
  const plain = Buffer.from(number);
  const hex = plain.toString('hex');
  return [
    { number, form: 'plain', bytes: plain },
    { number, form: 'UTF-16', bytes: Buffer.from(number, 'utf16le') },
    { number, form: 'hex', bytes: Buffer.from(hex) },
    ...(hex === hex.toUpperCase() ? [] : [{ number, form: 'HEX', bytes: Buffer.from(hex.toUpperCase()) }]),
    ...[0, 1, 2].map((offset) => ({ number, form: `base64+${offset}`, bytes: base64Middle(plain, offset) })),
  ];
}

/** Returns the base64 of the number after `offset` other bytes: the part that those bytes do not change. */
function base64Middle(plain: Buffer, offset: number): Buffer {
  const text = Buffer.concat([Buffer.alloc(offset), plain]).toString('base64');
  const start = [0, 2, 3][offset]!;
  const end = Math.floor(((offset + plain.length) * 4) / 3);
  return Buffer.from(text.slice(start, end - (end % 4 === 0 ? 0 : 1)));
}

/** A running server may remove files between the listing and the search. */
function nothingIfGone(error: unknown): never[] {
  if (systemCode(error) === 'ENOENT') return [];
  throw error;
}

async function* filesBelow(folder: string, isBelow = false): AsyncGenerator<string> {
  const listing = readdir(folder, { withFileTypes: true });
  for (const entry of await (isBelow ? listing.catch(nothingIfGone) : listing)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path, true);
    else if (entry.isFile()) yield path;
  }
}

/** Searches the name of a file as well as its bytes. */
async function searchFile(path: string, needles: readonly Needle[]): Promise<string[]> {
  const found = new Set<string>();
  const look = (bytes: Buffer, place: string) => {
    for (const { number, form, bytes: needle } of needles) {
      if (bytes.includes(needle)) found.add(`${place}: ${form} of …${number.slice(-4)}`);
    }
  };
  look(Buffer.from(path), `name ${path}`);
  let tail = Buffer.alloc(0);
  // Buffers no more than the file needs: many small files would take the memory of many large ones.
  const highWaterMark = Math.min((await stat(path)).size + 1, 4 * 1024 * 1024);
  for await (const chunk of createReadStream(path, { highWaterMark })) {
    const window = Buffer.concat([tail, chunk as Buffer]);
    look(window, path);
    tail = window.subarray(Math.max(0, window.length - 128));
  }
  return [...found];
}
