import { OUTCOMES } from '../../schemas/lifecycle.ts';
import { type LineBuffer, makeRoom, putBytes, putText } from '../../src/csv/read/line-buffer.ts';
import { csvLines } from '../../src/csv/write/write-csv.ts';
import { COMMA, NINE, QUOTE, SPACE, ZERO } from '../../src/kernel/byte-names.ts';
import { NO_CODE, OUTCOME_NAMES } from '../../src/rows/packed-outcomes.ts';
import { NO_OUTCOME_YET, type RowPack, textsFrom } from '../../src/ledger/row/read-packed-rows.ts';
import { resultCells } from '../../src/reconcile/outputs/result-row.ts';
import type { FinishedRows } from './finished-pages.ts';

/**
 * Returns a function that writes the outcome cells of a result line and its end. Most rows have a plain message and
 * share the rest of the line with their batch, so their bytes are copied. The others go through `resultCells`, which is
 * authoritative.
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

/** Label of each outcome as the first cell, in the order of `OUTCOME_NAMES`. */
const LABELS = OUTCOME_NAMES.map((name) => Buffer.from(`${OUTCOMES[name].label},`));

/** Index of the batch id in a row without input, after line, outcome, code, message and authorization. */
const FIRST_SHARED = 5;

/** Returns whether the texts of a row can be copied as the ledger has them. */
function isPlain(pack: RowPack, at: number): boolean {
  if (pack.outcomes[at] === NO_OUTCOME_YET || pack.changes.size > 0) return false;
  const start = textsFrom(pack, at);
  const messageEnd = pack.ends[2 * at]!;
  const digits = countPlainDigits(pack.texts, start, messageEnd);
  // A longer message is cut, and one with more digits may hold a number to hide.
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
/** What starts a formula or guards one, and the space, which is lost at either end. */
const MAY_NOT_BEGIN = new Set([' ', "'", '=', '+', '-', '@'].map((character) => character.charCodeAt(0)));

/** Counts the digits of a printable ASCII cell; -1 if it needs quotes or starts like a formula. */
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

/** Writes a comma and the cell after it. */
function putCell(into: LineBuffer, bytes: Buffer, start: number, end: number): void {
  makeRoom(into, 1)[into.length] = COMMA;
  into.length += 1;
  putBytes(into, bytes, start, end);
}
