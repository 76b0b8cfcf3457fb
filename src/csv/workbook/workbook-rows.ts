import type { Profile } from '../../../schemas/profiles.ts';
import type { Fault } from '../../rows/rows.ts';
import type { SourceRow, TextShape } from '../profile/read/text-rows.ts';
import { LONGEST_LINE } from '../read/split-lines.ts';
import { TELLING_BYTES, tellKind } from '../read/open-plain-text.ts';
import { cellText, type SharedTexts } from './cell-value.ts';
import { openZip, type Zip } from './open-zip.ts';
import { parseXml, readXml } from './read-xml.ts';
import { refusalOf, refuse } from './refusal.ts';
import { sheetReader } from './sheet-reader.ts';
import { findParts, readStyles, visibleSheets } from './workbook-parts.ts';

/** A million rows with twelve columns take 85 MB. */
const LARGEST_WORKBOOK_BYTES = 134_217_728;

/** Rows are filled up to the width of the titles, because a workbook does not write empty cells. */
type SheetForm = Pick<Extract<Profile['read'], { kind: 'workbook' }>, 'sheet'> & { readonly width: number };

/**
 * Reads a sheet of a workbook as rows. The packed workbook and its shared texts are kept in memory, within bounds; the
 * sheet is unpacked as it is read. A workbook that cannot be read has a fault and no further rows.
 * @returns yields after each block of rows; before, `takeRow` gets them
 */
export async function* readWorkbookRows(
  source: AsyncIterable<Uint8Array>,
  form: SheetForm,
  shape: TextShape,
  takeRow: (row: SourceRow) => void,
): AsyncGenerator<void> {
  const bytes = await collectBytes(source);
  try {
    const reader = await openSheet(
      bytes ?? refuse(`it is larger than ${LARGEST_WORKBOOK_BYTES / 1_048_576} MiB`),
      form.sheet,
    );
    const fill = gapFiller(form.width, shape, takeRow);
    for await (const rows of reader.read()) yield* fill(rows);
    shape.faults.push(...reader.doubts());
  } catch (error) {
    shape.faults.push({ code: 'WORKBOOK_REFUSED', line: 0, detail: refusalOf(error) });
  }
}

/** A sheet of a workbook, without blank rows. */
export type Sheet = { readonly name: string; readonly rows: readonly SourceRow[] };

const MOST_SHEETS = 20;

/** All are kept in memory, each row as wide as the widest, and few bytes unpack to many cells. */
const MOST_CELLS = 2_000_000;

/**
 * Reads the sheets that hold anything and are not hidden, for a look at a sample.
 * @returns why the workbook cannot be read, as a clause, or its first sheets
 */
export async function readSheets(bytes: Buffer, mostCells = MOST_CELLS): Promise<string | readonly Sheet[]> {
  const sheets: Sheet[] = [];
  let before = 0;
  try {
    refuseOther(bytes);
    for (const name of (await visibleSheets(await openZip(bytes))).slice(0, MOST_SHEETS)) {
      const rows: SourceRow[] = [];
      let width = 0;
      for await (const read of (await openSheet(bytes, name)).read()) {
        rows.push(...read);
        width = read.reduce((most, { cells }) => Math.max(most, cells.length), width);
        if (before + rows.length * width > mostCells)
          refuse(`it has more than ${mostCells} cells, too many to look at`);
      }
      before += rows.length * width;
      if (rows.length > 0) sheets.push({ name, rows });
    }
    return sheets;
  } catch (error) {
    return refusalOf(error);
  }
}

/** Reads the source to its end in any case. Returns undefined when it is too large. */
async function collectBytes(source: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source) {
    length += piece.length;
    // The next piece may come in the same memory.
    if (length <= LARGEST_WORKBOOK_BYTES) pieces.push(Uint8Array.from(piece));
    else pieces = [];
  }
  return length <= LARGEST_WORKBOOK_BYTES ? Buffer.concat(pieces) : undefined;
}

async function openSheet(bytes: Buffer, name: string) {
  refuseOther(bytes);
  const zip = await openZip(bytes);
  const { sheet, isSheetHidden, is1904, ...parts } = await findParts(zip, name);
  const styles = await readStyles(zip, parts.styles);
  const texts = await readSharedTexts(zip, parts.texts);
  const reader = sheetReader({ texts, styles, is1904 });
  const source = zip.unpack(sheet) ?? refuse('the part with its cells is missing');

  async function* read(): AsyncGenerator<readonly SourceRow[]> {
    for await (const _ of parseXml(source, reader.handlers)) yield reader.takeRows();
  }

  const hidden: Fault[] = isSheetHidden ? [{ code: 'WORKBOOK_DOUBT', line: 0, detail: 'the sheet is hidden' }] : [];
  return { read, doubts: () => [...hidden, ...reader.doubts()] };
}

const OLD_OFFICE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

/** Excel keeps a workbook with a password as a part of a file of the former kind. */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

function refuseOther(bytes: Buffer): void {
  if (bytes.length === 0) refuse('it has no bytes');
  if (bytes.subarray(0, OLD_OFFICE.length).equals(OLD_OFFICE)) {
    refuse(bytes.includes(ENCRYPTED) ? 'it is protected with a password' : 'it is of the former kind (.xls)');
  }
  if (!bytes.subarray(0, 2).equals(Buffer.from('PK'))) refuse(`it is ${tellKind(bytes) ?? plainKind(bytes)}`);
}

function plainKind(bytes: Buffer): string {
  const head = bytes.toString('latin1', 0, TELLING_BYTES);
  const isUtf16 = /^(?:\xff\xfe|\xfe\xff)/.test(head);
  const isText = !/[\0-\x08]/.test(isUtf16 ? head.replaceAll('\0', '') : head);
  return isText ? 'a text file, such as CSV' : 'no workbook of the kind .xlsx';
}

const MOST_BLANK_ROWS = 1_000;

/** Returns a function that passes rows on, filled up to the width, with the blank rows between them. */
function gapFiller(width: number, shape: TextShape, takeRow: (row: SourceRow) => void) {
  const blank: readonly string[] = Array.from({ length: width }, () => '');

  function take(row: SourceRow): void {
    shape.physicalLines = row.line;
    takeRow(row);
  }

  /** Yields within a long gap, too. */
  return function* fill(rows: readonly SourceRow[]): Generator<void> {
    for (const row of rows) {
      while (shape.physicalLines < row.line - 1) {
        take({ line: shape.physicalLines + 1, span: 1, cells: blank });
        if (shape.physicalLines % MOST_BLANK_ROWS === 0) yield;
      }
      const isShort = row.cells.length < width && !row.fault;
      take(isShort ? { ...row, cells: [...row.cells, ...blank.slice(row.cells.length)] } : row);
    }
    yield;
  };
}

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
