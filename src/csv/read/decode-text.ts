import { StringDecoder } from 'node:string_decoder';
import type { FolderConfig } from '../../../schemas/config.ts';
import { readWindows1252 } from '../../rows/windows-1252.ts';

export type Charset = FolderConfig['charset'];

/**
 * Decodes bytes to text, piece by piece. A byte order mark (UTF-8, UTF-16 LE or BE) sets the encoding and is dropped;
 * without one, the folder's character set applies.
 *
 * Invalid bytes become U+FFFD. The next step refuses such lines and names them, which a throwing decoder could not.
 */
export async function* decodeText(source: AsyncIterable<Uint8Array>, charset: Charset): AsyncGenerator<string> {
  let decoder: Decoder | undefined;
  let start = Buffer.alloc(0);
  for await (const piece of source) {
    if (decoder) {
      yield decoder.write(piece);
      continue;
    }
    // The first pieces may be as short as one byte and split the mark.
    start = Buffer.concat([start, piece]);
    if (start.length < LONGEST_MARK_BYTES) continue;
    decoder = openDecoder(start, charset);
    yield decoder.write(start.subarray(decoder.markBytes));
  }
  if (!decoder) {
    decoder = openDecoder(start, charset);
    yield decoder.write(start.subarray(decoder.markBytes));
  }
  yield decoder.end();
}

type Decoder = { markBytes: number; write(bytes: Uint8Array): string; end(): string };

export const LONGEST_MARK_BYTES = 3;

function openDecoder(start: Buffer, charset: Charset): Decoder {
  const mark = markBytes(start);
  if (isUtf16(start)) return utf16Decoder(start[0] === 0xff ? 'utf-16le' : 'utf-16be');
  if (charset === 'utf-8' || mark > 0) return utf8Decoder(mark);
  return { markBytes: 0, write: decoderOfLines(charset), end: () => '' };
}

/** Returns the length of the UTF-8 byte order mark at the start; 0 without one. */
export function markBytes(start: Uint8Array): 0 | 3 {
  return start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0;
}

/** Returns whether the text begins with a UTF-16 byte order mark. */
export function isUtf16(start: Uint8Array): boolean {
  return (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
}

/** Returns a decoder for bytes that split no character, such as whole lines. */
export function decoderOfLines(charset: Charset): (bytes: Uint8Array) => string {
  switch (charset) {
    case 'utf-8':
      return readUtf8;
    case 'iso-8859-1':
      return readLatin1;
    case 'windows-1252':
      return (bytes) => readWindows1252(bufferOf(bytes));
  }
}

function readUtf8(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('utf8');
}

function utf8Decoder(markBytes: number): Decoder {
  const decoder = new StringDecoder('utf8');
  return { markBytes, write: (bytes) => decoder.write(bufferOf(bytes)), end: () => decoder.end() };
}

function utf16Decoder(label: 'utf-16le' | 'utf-16be'): Decoder {
  // Unlike `StringDecoder`, this one also turns half a surrogate pair into U+FFFD.
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  return { markBytes: 2, write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
}

/** `TextDecoder` does not work here: it treats `iso-8859-1` as windows-1252. */
function readLatin1(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('latin1');
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
