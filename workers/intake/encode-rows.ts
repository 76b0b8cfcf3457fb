import { columnsOf, type LayoutName, layoutOf } from '../../schemas/layouts.ts';
import type { FolderOperation } from '../../schemas/operations.ts';
import type { CheckedRow } from '../../src/csv/check/check-payment-file.ts';
import type { PackedRows } from '../../src/csv/write/packed-rows.ts';
import { COMMA } from '../../src/kernel/byte-names.ts';
import { lastFour } from '../../src/kernel/mask.ts';
import { type NewRow } from '../../src/ledger/copy/row-tuples.ts';
import type { TupleWriter } from '../../src/ledger/copy/tuple-writer.ts';
import { maskRow } from '../../src/reconcile/outputs/mask-row.ts';
import {
  openRowFingerprints,
  type PayerKind,
  FINGERPRINT_BYTES,
} from '../../src/crypto/fingerprints/row-fingerprint.ts';
import type { fingerprintRuns } from './fingerprint-row.ts';

/** What all rows of a file share. */
export type EncoderOptions = {
  readonly fileNo: number;
  /** See `fingerprintKey`. */
  readonly fingerprintKey: Uint8Array;
};

/**
 * Returns an encoder that makes `payment_row` tuples from the bytes of valid rows, without an object or string for
 * each. They hold invoice, customer code, amount and end of the number. Rows with an invoice also get fingerprints.
 * @param noteFingerprint receives each fingerprint too
 */
export function rowEncoder(
  to: TupleWriter,
  fingerprints: Pick<ReturnType<typeof fingerprintRuns>, 'add'>,
  { fileNo, fingerprintKey }: EncoderOptions,
  noteFingerprint: (fingerprints: Buffer, at: number, line: number) => void = () => {},
) {
  const fingerprinter = openRowFingerprints(fingerprintKey);
  let places = { invoice: -1, customerCode: -1, number: -1 };
  let numberKind: PayerKind = 'cardNumber';
  let neededCells = 0;
  let layout: LayoutName | undefined;
  /** Ends of the current row's cells, as far as needed. */
  const ends = new Uint32Array(MOST_COLUMNS);
  /** Start and end of invoice, customer code and number, for each row of a call. */
  let spans = new Uint32Array(0);

  /** Sets the layout, which is the same for every group of a file. */
  function setLayout(wanted: LayoutName): void {
    if (wanted === layout) return;
    layout = wanted;
    const names = columnsOf(wanted);
    places = {
      invoice: names.indexOf('invoice'),
      customerCode: names.indexOf('customerCode'),
      number: names.findIndex((name) => name === 'cardNumber' || name === 'accountNumber'),
    };
    numberKind = names.includes('cardNumber') ? 'cardNumber' : 'accountNumber';
    neededCells = 1 + Math.max(places.invoice, places.customerCode, places.number);
  }

  /** Encodes the rows from `first` up to `end`. Their fingerprints are made at once, so it locates all cells first. */
  function encode(packed: PackedRows, first: number, end: number, batchNo: number): void {
    const needed = (end - first) * ROW_SPANS;
    if (spans.length < needed) spans = new Uint32Array(2 * needed);
    for (let row = first; row < end; row += 1) findSpans(packed, row, (row - first) * ROW_SPANS);
    const turned = addTurned(packed, first, end);
    const made = fingerprinter.take();
    for (let row = first; row < end; row += 1) {
      const at = (row - first) * ROW_SPANS;
      writeTuple(packed, row, at, batchNo);
      // Rows without an invoice get no fingerprint: those of a month would all look alike.
      if (spans[at + INVOICE]! < spans[at + INVOICE + 1]!) {
        addFingerprint(made, row - first, packed.lines[row]!);
      }
    }
    for (const [place, row] of turned.entries()) addFingerprint(made, end - first + place, packed.lines[row]!);
  }

  function addFingerprint(made: Buffer, place: number, line: number): void {
    fingerprints.add(made, place * FINGERPRINT_BYTES, line);
    noteFingerprint(made, place * FINGERPRINT_BYTES, line);
  }

  /** @returns the row of each extra fingerprint; these follow the first ones of all rows */
  function addTurned(packed: PackedRows, first: number, end: number): number[] {
    const turned: number[] = [];
    for (let row = first; row < end; row += 1) {
      const at = (row - first) * ROW_SPANS;
      if (spans[at + INVOICE]! >= spans[at + INVOICE + 1]!) continue;
      for (let left = fingerprinter.addTurned(...paymentOf(packed, row, at)); left > 0; left -= 1) turned.push(row);
    }
    return turned;
  }

  function paymentOf({ bytes, cents }: PackedRows, row: number, at: number): Parameters<typeof fingerprinter.add> {
    const hasNumber = spans[at + NUMBER]! < spans[at + NUMBER + 1]!;
    const [payer, kind] = hasNumber ? [at + NUMBER, numberKind] : [at + CODE, 'customerCode' as const];
    const [invoiceFrom, invoiceTo] = [spans[at + INVOICE]!, spans[at + INVOICE + 1]!];
    return [bytes, invoiceFrom, invoiceTo, spans[payer]!, spans[payer + 1]!, cents[row]!, kind];
  }

  function findSpans(packed: PackedRows, row: number, at: number): void {
    const { bytes, starts } = packed;
    const start = starts[row]!;
    // Exclude the line end. No cell holds a comma, so each comma before it ends a cell.
    findCells(bytes, start, starts[row + 1]! - 1);
    setSpan(at + INVOICE, places.invoice, start);
    setSpan(at + CODE, places.customerCode, start);
    setSpan(at + NUMBER, places.number, start);
    fingerprinter.add(...paymentOf(packed, row, at));
  }

  function writeTuple({ bytes, lines, cents }: PackedRows, row: number, at: number, batchNo: number): void {
    const numberEnd = spans[at + NUMBER + 1]!;
    to.begin(7);
    to.int8(fileNo);
    to.int4(lines[row]!);
    to.int4(batchNo);
    to.bytes(bytes, spans[at + INVOICE]!, spans[at + INVOICE + 1]!);
    to.bytes(bytes, spans[at + CODE]!, spans[at + CODE + 1]!);
    to.int8(cents[row]!);
    to.bytes(bytes, numberEnd - SHOWN_DIGITS[numberEnd - spans[at + NUMBER]!]!, numberEnd);
  }

  function findCells(bytes: Uint8Array, start: number, end: number): void {
    let cell = 0;
    for (let at = start; at < end && cell < neededCells; at += 1) {
      if (bytes[at] !== COMMA) continue;
      ends[cell] = at;
      cell += 1;
    }
    // The last cell has no comma after it.
    if (cell < neededCells) ends[cell] = end;
  }

  function setSpan(at: number, place: number, start: number): void {
    spans[at] = place < 1 ? start : ends[place - 1]! + 1;
    spans[at + 1] = place < 0 ? start : ends[place]!;
  }

  return { setLayout, encode };
}

/** More than any layout has. */
const MOST_COLUMNS = 64;

/** Places in the spans of a row: start and end of invoice, customer code and number. */
const INVOICE = 0;
const CODE = 2;
const NUMBER = 4;
const ROW_SPANS = 6;

/** How many digits `lastFour` keeps, by the length of the number. */
const SHOWN_DIGITS = Uint8Array.from({ length: 256 }, (_, length) => lastFour('0'.repeat(length)).length);

/** Returns a row that is not sent: line, invoice and amount to find it by. Nothing else in it can be trusted. */
export function withheldRow(operation: FolderOperation, { raw, amountCents }: CheckedRow): NewRow {
  const layout = layoutOf(operation, raw.cells.length);
  const invoice = layout ? maskRow(layout, raw.cells)[columnsOf(layout).indexOf('invoice')] : undefined;
  return {
    line: raw.line,
    batchNo: null,
    invoice: (invoice ?? '').trim().slice(0, LONGEST_INVOICE),
    customerCode: '',
    amountCents: amountCents ?? null,
    lastFour: '',
  };
}

/** A withheld row may hold anything as its invoice; a longer text is not one. */
const LONGEST_INVOICE = 100;
