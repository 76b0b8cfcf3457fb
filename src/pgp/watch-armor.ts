export type ArmorWatch = {
  /** The bytes, unchanged. */
  readonly pieces: AsyncGenerator<Uint8Array>;
  /** What is wrong so far; undefined if nothing is, and for a message without armor. */
  fault(): string | undefined;
};

/**
 * Checks that an armored message is alone in its file. The library reads the first one and ignores everything before
 * and after it. A second message, or rows after the armor, would go unnoticed.
 */
export function watchArmor(source: AsyncIterable<Uint8Array>): ArmorWatch {
  let place: 'start' | 'before' | 'headers' | 'inside' | 'padded' | 'checked' | 'behind' | 'binary' = 'start';
  let line = '';
  let fault: string | undefined;
  let hasTextBefore = false;
  let endsWithCr = false;

  function takePiece(piece: Uint8Array): void {
    if (piece.length === 0 || place === 'binary' || fault !== undefined) return;
    if (place === 'start') place = (piece[0]! & 0x80) !== 0 && piece[0] !== MARK[0] ? 'binary' : 'before';
    if (place === 'binary') return;
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1');
    // A line end split between two pieces counts as one.
    const lines = (endsWithCr && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|[\r\n]/);
    endsWithCr = text.endsWith('\r');
    const last = lines.pop()!;
    for (const rest of lines) {
      takeLine(line + rest);
      line = '';
    }
    // Armor lines are shorter. Of a longer line only its start matters, and that it holds no other text.
    line = (line + last).slice(0, LONGEST_LINE);
    if (place === 'inside' && NOT_IN_BODY.test(last)) fault = OTHER_TEXT;
  }

  function takeLine(whole: string): void {
    const text = whole.replace(MARK_TEXT, '').trim();
    if (text === '' && place === 'headers') place = 'inside';
    if (text === '' || fault !== undefined) return;
    if (place === 'before') {
      if (text !== BEGIN) hasTextBefore = true;
      else if (hasTextBefore) fault = 'other text precedes the message';
      else place = 'headers';
    } else if (place !== 'behind') {
      if (text === END) place = 'behind';
      else if (text.startsWith('-----BEGIN')) fault = 'another message begins before the first one ends';
      else if (place !== 'headers') takeBody(text);
      else if (!HEADER.test(text)) fault = OTHER_TEXT;
    } else
      fault = text.startsWith('-----BEGIN') ? 'it contains more than one message' : 'other text follows the message';
  }

  /** Checks a body line. Padding and then a checksum may end the base64; nothing would read what follows them. */
  function takeBody(text: string): void {
    if (CHECKSUM.test(text) && place !== 'checked') place = 'checked';
    else if (place !== 'inside' || !BODY.test(text)) fault = OTHER_TEXT;
    else if (text.endsWith('=')) place = 'padded';
  }

  async function* watch(): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      takePiece(piece);
      yield piece;
    }
    if (place !== 'binary') takeLine(line);
    line = '';
    if (place === 'before') fault ??= 'no line begins the armor of a message';
    if (!['start', 'before', 'behind', 'binary'].includes(place)) fault ??= 'the armor of the message has no end';
  }

  return { pieces: watch(), fault: () => fault };
}

const BEGIN = '-----BEGIN PGP MESSAGE-----';
const END = '-----END PGP MESSAGE-----';
const LONGEST_LINE = 200;

const NOT_IN_BODY = /[^A-Za-z0-9+/=\-\s]/;
/** The library accepts any text as a header. */
const HEADER = /^[A-Za-z][\w-]*:(?: |$)/;
const BODY = /^[A-Za-z0-9+/]*={0,2}$/;
const CHECKSUM = /^=[A-Za-z0-9+/]{4}$/;
const OTHER_TEXT = 'the message contains other text';

/** A byte order mark, which editors put before armor, and the same read as Latin-1. */
const MARK = [0xef, 0xbb, 0xbf] as const;
const MARK_TEXT = '\u00ef\u00bb\u00bf';
