import type { FolderConfig } from '../../../schemas/config.ts';
import type { Fault } from '../../rows/rows.ts';
import { readWindows1252 } from '../../rows/windows-1252.ts';

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

/** A file whose server has reserved its space and not written its content yet. */
const RESERVED = 'zero bytes';

/** Returns the fault of a file that is not CSV. */
export function faultOfKind(kind: string): Fault {
  return kind === RESERVED ? { code: 'ONLY_NULS', line: 0 } : { code: 'NOT_CSV', line: 0, detail: kind };
}

/**
 * Files that are often dropped in place of CSV, by their first bytes as Latin-1 text. No good payment file begins like
 * one: each pattern has a control character, a tag, or a line that cannot be a row. They are never opened or unpacked.
 */
const KINDS: readonly (readonly [begins: RegExp, is: string])[] = [
  [
    /^PK\x03\x04[^]{26}(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/)/,
    'an Excel workbook or other Office file (.xlsx)',
  ],
  [/^PK\x03\x04[^]{26}mimetypeapplication\/vnd\.oasis/, 'an OpenDocument file (.ods)'],
  [/^PK(?:\x03\x04|\x05\x06)/, 'a ZIP archive'],
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, 'an Excel workbook or other Office file of the former kind (.xls)'],
  [/^(?:\0{16}|\0+$)/, RESERVED],
  [/^\x1f\x8b/, 'a gzip archive'],
  [/^BZh[1-9]1AY&SY/, 'a bzip2 archive'],
  [/^\xfd7zXZ\0/, 'an xz archive'],
  [/^\x28\xb5\x2f\xfd[^]{0,12}[\0-\x08]/, 'a Zstandard archive'],
  [/^7z\xbc\xaf'\x1c/, 'a 7-Zip archive'],
  [/^[^]{257}ustar(?:\0| {2}\0)/, 'a tar archive'],
  [/^%PDF-\d\.\d\s/, 'a PDF'],
  [/^(?:\x89PNG\r\n\x1a\n|\xff\xd8\xff[^]{0,3}\0|II\*\0|MM\0\*|GIF8[79]a[^]{0,8}\0)/, 'an image'],
  [/^\s*\{\\rtf1/, 'a text of a word processor (.rtf)'],
  [/^-----BEGIN PGP/, 'an encrypted message, whose name must end in .pgp, .gpg or .asc'],
];

/** The same of texts, without the zeros of UTF-16 and without a byte order mark. */
const TEXTS: readonly (readonly [begins: RegExp, is: string])[] = [
  [/^\s*<(?:!doctype html|html|head|body|table|meta|style|div)\b/i, 'an HTML table or page'],
  [/^\s*<\?xml\b/i, 'an XML file'],
];

/** No text begins with characters between zeros, in any character set but this. */
const UNMARKED_UTF16 = /^(?:(?:[^\0]\0){4}|(?:\0[^\0]){4})/;

/** Number of bytes needed to recognize a kind. */
export const TELLING_BYTES = 512;

/** Returns the kind of a file that is not CSV, as a phrase; undefined when it is not recognized. */
export function tellKind(head: Uint8Array): string | undefined {
  const bytes = Buffer.from(head.subarray(0, TELLING_BYTES)).toString('latin1');
  const text = bytes.replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '').replaceAll('\0', '');
  const found = KINDS.find(([begins]) => begins.test(bytes)) ?? TEXTS.find(([begins]) => begins.test(text));
  return found?.[1] ?? (UNMARKED_UTF16.test(bytes) ? 'a text in UTF-16 without a byte order mark' : undefined);
}
