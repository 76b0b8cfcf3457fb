import type { FolderConfig } from '../../../schemas/config.ts';
import { readWindows1252 } from '../../rows/windows-1252.ts';

export type Charset = FolderConfig['charset'];

/** ASCII-compatible bytes without a byte order mark, and the decoder for one of their lines. */
export type PlainText = {
  readonly source: AsyncIterable<Uint8Array>;
  readonly decodeLine: (bytes: Uint8Array) => string;
  /** What the byte order mark says, if there was one. */
  readonly mark: 'utf-8' | 'utf-16' | undefined;
};

/**
 * Opens a text so that its lines can be found and scanned as bytes. A byte order mark sets the encoding and is dropped;
 * without one, the folder's character set applies. UTF-16 is re-encoded as UTF-8; in all other character sets the bytes
 * of a line end have no other meaning.
 *
 * Invalid bytes become U+FFFD. The next step refuses such lines and names them, which a throwing decoder could not.
 */
export async function openPlainText(source: AsyncIterable<Uint8Array>, charset: Charset): Promise<PlainText> {
  const pieces = source[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  // The first pieces may be as short as one byte and split the mark.
  for (let isOpen = true; isOpen && start.length < LONGEST_MARK_BYTES; ) {
    const { value, done } = await pieces.next();
    isOpen = done !== true;
    if (isOpen) start = Buffer.concat([start, value]);
  }
  const mark = start.toString('latin1');
  if (/^\xff\xfe|^\xfe\xff/.test(mark)) {
    const utf8 = encodeUtf8(continued(start.subarray(2), pieces), mark.startsWith('\xff') ? 'utf-16le' : 'utf-16be');
    return { source: utf8, decodeLine: decoderOfLines('utf-8'), mark: 'utf-16' };
  }
  const isMarked = mark.startsWith('\xef\xbb\xbf');
  return {
    source: continued(isMarked ? start.subarray(LONGEST_MARK_BYTES) : start, pieces),
    decodeLine: decoderOfLines(isMarked ? 'utf-8' : charset),
    mark: isMarked ? 'utf-8' : undefined,
  };
}

const LONGEST_MARK_BYTES = 3;

/** Yields the bytes already read, then the rest. Closes the source if the caller stops early. */
async function* continued(start: Uint8Array, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield start;
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
  } finally {
    await pieces.return?.();
  }
}

async function* encodeUtf8(utf16: AsyncIterable<Uint8Array>, label: string): AsyncGenerator<Uint8Array> {
  // Unlike `StringDecoder`, this one also turns half a surrogate pair into U+FFFD.
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  for await (const piece of utf16) yield Buffer.from(decoder.decode(piece, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** Returns a decoder for bytes that split no character, such as whole lines. */
export function decoderOfLines(charset: Charset): (bytes: Uint8Array) => string {
  // `TextDecoder` does not work here: it treats `iso-8859-1` as windows-1252.
  if (charset === 'windows-1252') return (bytes) => readWindows1252(bufferOf(bytes));
  const encoding = charset === 'utf-8' ? 'utf8' : 'latin1';
  return (bytes) => bufferOf(bytes).toString(encoding);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
