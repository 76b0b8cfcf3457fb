import { LONGEST_LINE } from '../read/split-lines.ts';
import { cellText, type SharedTexts } from './cell-value.ts';
import type { Zip } from './open-zip.ts';
import { readXml } from './read-xml.ts';
import { refuse } from './refusal.ts';

const MOST_TEXTS = 8_388_608;
const MOST_PIECES = 128;
const PIECE_BYTES = 1_048_576;

/**
 * Reads the texts that the cells of a workbook share. Excel writes them in front of or behind the sheet, so all of them
 * must be kept: as bytes outside the heap, 8 more for each text.
 */
export async function readSharedTexts(zip: Zip, path: string | undefined): Promise<SharedTexts> {
  const source = path === undefined ? undefined : zip.unpack(path);
  const store = textStore();
  const current = cellText(LONGEST_LINE);
  const close = (name: string) => {
    current.close(name);
    if (name === 'si') store.add(current.take());
  };
  if (source) await readXml(source, { open: current.open, close, text: current.text });
  return store.get;
}

function textStore() {
  const pieces: Buffer[] = [];
  let used = PIECE_BYTES;
  /** For each text its piece, its place there, and its length. */
  let places = new Uint32Array(2_048);
  let count = 0;

  function add(text: string): void {
    const length = Buffer.byteLength(text);
    // Also before an empty text, which needs a piece to be found in.
    if (used + length >= PIECE_BYTES) addPiece();
    if (count === MOST_TEXTS) refuse(`it has more than ${MOST_TEXTS} different texts`);
    if (count * 2 === places.length) places = doubled(places);
    places[count * 2] = (pieces.length - 1) * PIECE_BYTES + used;
    places[count * 2 + 1] = length;
    used += pieces.at(-1)!.write(text, used);
    count += 1;
  }

  function addPiece(): void {
    if (pieces.length === MOST_PIECES) refuse(`its texts take more than ${MOST_PIECES} MiB`);
    pieces.push(Buffer.allocUnsafeSlow(PIECE_BYTES));
    used = 0;
  }

  function get(index: number): string | undefined {
    if (!(index >= 0 && index < count)) return undefined;
    const place = places[index * 2]!;
    const start = place % PIECE_BYTES;
    return pieces[Math.floor(place / PIECE_BYTES)]!.toString('utf8', start, start + places[index * 2 + 1]!);
  }

  return { add, get };
}

function doubled(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(numbers.length * 2);
  more.set(numbers);
  return more;
}
