import type { FolderConfig } from '../../../schemas/config.ts';
import { readWindows1252 } from '../../rows/windows-1252.ts';
import { TELLING_BYTES, tellKind } from './tell-kind.ts';

export type Charset = FolderConfig['charset'];

/** ASCII-compatible bytes without a byte order mark, and the decoder for one of their lines. */
export type PlainText = {
  readonly source: AsyncIterable<Uint8Array>;
  readonly decodeLine: (bytes: Uint8Array) => string;
  /** What the byte order mark says, if there was one. */
  readonly mark: 'utf-8' | 'utf-16' | undefined;
  /** What the file seems to be instead of text; undefined for text. */
  readonly kind: string | undefined;
};

/**
 * Opens a text so that its lines can be found and scanned as bytes. A byte order mark sets the encoding and is dropped;
 * without one, the folder's character set applies. UTF-16 is re-encoded as UTF-8; in all other character sets the bytes
 * of a line end have no other meaning.
 *
 * Invalid bytes become U+FFFD. The next step refuses such lines and names them, which a throwing decoder could not.
 */
export async function openPlainText(source: AsyncIterable<Uint8Array>, charset: Charset): Promise<PlainText> {
  // The first pieces may be as short as one byte.
  const { start, pieces } = await readStart(source, ({ length }) => length >= TELLING_BYTES);
  const mark = start.toString('latin1', 0, MARK_BYTES);
  const kind = tellKind(start);
  if (/^\xff\xfe|^\xfe\xff/.test(mark)) {
    const utf8 = encodeUtf8(continued(start.subarray(2), pieces), mark.startsWith('\xff') ? 'utf-16le' : 'utf-16be');
    return { source: utf8, decodeLine: decoderOfLines('utf-8'), kind, mark: 'utf-16' };
  }
  const isMarked = mark.startsWith('\xef\xbb\xbf');
  return {
    source: continued(isMarked ? start.subarray(MARK_BYTES) : start, pieces),
    kind,
    decodeLine: decoderOfLines(isMarked ? 'utf-8' : charset),
    mark: isMarked ? 'utf-8' : undefined,
  };
}

const MARK_BYTES = 3;

/** Reads a source until its first bytes are enough, or end. `continued` yields them and the rest. */
export async function readStart(source: AsyncIterable<Uint8Array>, isEnough: (start: Buffer) => boolean) {
  const pieces = source[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  for (let isOpen = true; isOpen && !isEnough(start); ) {
    const { value, done } = await pieces.next();
    isOpen = done !== true;
    if (isOpen) start = Buffer.concat([start, value]);
  }
  return { start, pieces };
}

/** Yields the bytes already read, then the rest. Closes the source if the caller stops early. */
export async function* continued(start: Uint8Array, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
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
