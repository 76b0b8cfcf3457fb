import { OUTCOMES } from '../../schemas/lifecycle.ts';
import { type LineBuffer, makeRoom, putBytes, putText } from '../../src/csv/read/line-buffer.ts';
import { csvLines } from '../../src/csv/write/write-csv.ts';
import { COMMA, NINE, QUOTE, SPACE, ZERO } from '../../src/kernel/byte-names.ts';
import { NO_CODE, OUTCOME_NAMES } from '../../src/rows/packed-outcomes.ts';
import { NO_OUTCOME_YET, type RowPack, textsFrom } from '../../src/ledger/row/read-packed-rows.ts';
import { resultCells } from '../../src/reconcile/outputs/result-row.ts';
import type { FinishedRows } from './finished-pages.ts';

/**
 * Puts the cells of a result line that stand behind those of the input, and the end of the line. Nearly all rows have a
 * plain message, and share the rest of the line with the other rows of their batch; these go from bytes to bytes. The others
 * go through `resultCells` whole, which says what is right.
 */
export function outcomePutter(): (into: LineBuffer, rows: FinishedRows, place: number) => void {
  const line = csvLines({ guard: true });
  let batchNo: number | undefined;
  let shared = NOTHING;
  return (into, rows, place) => {
    const { pack } = rows;
    const at = rows.packFrom + place;
    if (!isPlain(pack, at)) {
      putText(into, line(resultCells(rows.at(place), []).slice(1)));
      return;
    }
    if (batchNo !== pack.batchNos[at]) {
      batchNo = pack.batchNos[at];
      shared = Buffer.from(`,${line(resultCells(rows.at(place), []).slice(FIRST_SHARED))}`);
    }
    putBytes(into, LABELS[pack.outcomes[at]!]!);
    if (pack.codes[at] !== NO_CODE) putText(into, String(pack.codes[at]));
    const messageEnd = pack.ends[2 * at]!;
    putCell(into, pack.texts, textsFrom(pack, at), messageEnd);
    putCell(into, pack.texts, messageEnd, pack.ends[2 * at + 1]!);
    putBytes(into, shared);
  };
}

const NOTHING = Buffer.alloc(0);

/** Of each outcome, in the order of OUTCOME_NAMES, its label as the first cell. */
const LABELS = OUTCOME_NAMES.map((name) => Buffer.from(`${OUTCOMES[name].label},`));

/** Place of the batch id among the cells of a row without input: line, outcome, code, message and authorization stand before. */
const FIRST_SHARED = 5;

/** Whether the texts of a row may stand in a line as the ledger has them. */
function isPlain(pack: RowPack, at: number): boolean {
  if (pack.outcomes[at] === NO_OUTCOME_YET || pack.changes.size > 0) return false;
  const start = textsFrom(pack, at);
  const messageEnd = pack.ends[2 * at]!;
  const digits = countPlainDigits(pack.texts, start, messageEnd);
  // A longer message is cut, and in one of more digits there may be a number to hide.
  if (digits < 0 || digits > MOST_DIGITS || messageEnd - start > LONGEST_MESSAGE) return false;
  return countPlainDigits(pack.texts, messageEnd, pack.ends[2 * at + 1]!) >= 0;
}

const MOST_DIGITS = 6;
const LONGEST_MESSAGE = 200;

const PLAIN = 1;
const DIGIT = 2;
const KIND = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= ZERO && byte <= NINE) return PLAIN | DIGIT;
  return byte >= SPACE && byte <= 0x7e && byte !== QUOTE && byte !== COMMA ? PLAIN : 0;
});
/** What a formula begins with or has before it, and the space, which would go at either end. */
const MAY_NOT_BEGIN = new Set([' ', "'", '=', '+', '-', '@'].map((character) => character.charCodeAt(0)));

/** How many digits a cell of printable ASCII has that needs no quotes and does not begin like a formula; -1 for any other. */
function countPlainDigits(bytes: Buffer, start: number, end: number): number {
  if (start === end) return 0;
  if (MAY_NOT_BEGIN.has(bytes[start]!) || bytes[end - 1] === SPACE) return -1;
  let digits = 0;
  for (let at = start; at < end; at += 1) {
    const kind = KIND[bytes[at]!]!;
    if (kind === 0) return -1;
    digits += kind >> 1;
  }
  return digits;
}

/** A comma, and the cell behind it. */
function putCell(into: LineBuffer, bytes: Buffer, start: number, end: number): void {
  makeRoom(into, 1)[into.length] = COMMA;
  into.length += 1;
  putBytes(into, bytes, start, end);
}
