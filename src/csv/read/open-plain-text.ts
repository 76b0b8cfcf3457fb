import { type Charset, decodeText, decoderOfLines, isUtf16, LONGEST_MARK_BYTES, markBytes } from './decode-text.ts';

/** ASCII-compatible bytes without a byte order mark, and the decoder for one of their lines. */
export type PlainText = {
  readonly source: AsyncIterable<Uint8Array>;
  readonly decodeLine: (bytes: Uint8Array) => string;
};

/**
 * Opens a text so that its lines can be found and scanned as bytes. UTF-16 is re-encoded as UTF-8; in all other
 * character sets the bytes of a line end have no other meaning.
 */
export async function openPlainText(source: AsyncIterable<Uint8Array>, charset: Charset): Promise<PlainText> {
  const pieces = source[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  for (let isOpen = true; isOpen && start.length < LONGEST_MARK_BYTES; ) {
    const { value, done } = await pieces.next();
    isOpen = done !== true;
    if (isOpen) start = Buffer.concat([start, value]);
  }
  if (isUtf16(start)) {
    const utf8 = encodeUtf8(decodeText(continued(start, pieces), charset));
    return { source: utf8, decodeLine: decoderOfLines('utf-8') };
  }
  const mark = markBytes(start);
  return {
    source: continued(start.subarray(mark), pieces),
    decodeLine: decoderOfLines(mark > 0 ? 'utf-8' : charset),
  };
}

/** Yields the bytes already read, then the rest. Closes the source if the caller stops early. */
async function* continued(start: Uint8Array, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield start;
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
  } finally {
    await pieces.return?.();
  }
}

async function* encodeUtf8(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}
