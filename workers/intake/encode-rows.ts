import { columnsOf, type LayoutName, layoutOf } from '../../schemas/layouts.ts';
import type { FolderOperation } from '../../schemas/operations.ts';
import type { CheckedRow } from '../../src/csv/check/check-payment-file.ts';
import type { PackedRows } from '../../src/csv/write/packed-rows.ts';
import { COMMA } from '../../src/kernel/byte-names.ts';
import { lastFour } from '../../src/kernel/mask.ts';
import { type NewRow } from '../../src/ledger/copy/row-tuples.ts';
import type { TupleWriter } from '../../src/ledger/copy/tuple-writer.ts';
import { maskRow } from '../../src/reconcile/outputs/mask-row.ts';
import { RowFingerprints, type PayerKind, FINGERPRINT_BYTES } from '../../src/crypto/fingerprints/row-fingerprint.ts';
import type { fingerprintRuns } from './fingerprint-row.ts';

/** What all rows of a file share. */
export type EncoderOptions = {
  readonly fileNo: number;
  /** See `fingerprintKey`. */
  readonly fingerprintKey: Uint8Array;
};

/**
 * Makes `payment_row` tuples from the bytes of valid rows, without an object or string for each. They hold invoice,
 * customer code, amount and end of the number. Rows with an invoice also get fingerprints.
 */
export class RowEncoder {
  readonly #to: TupleWriter;
  readonly #fingerprints: Pick<ReturnType<typeof fingerprintRuns>, 'add'>;
  readonly #fileNo: number;
  readonly #fingerprinter: RowFingerprints;
  readonly #noteFingerprint: NoteFingerprint;
  #places = { invoice: -1, customerCode: -1, number: -1 };
  #numberKind: PayerKind = 'cardNumber';
  #neededCells = 0;
  #layout: LayoutName | undefined;
  /** Ends of the current row's cells, as far as needed. */
  readonly #ends = new Uint32Array(MOST_COLUMNS);
  /** Start and end of invoice, customer code and number, for each row of a call. */
  #spans = new Uint32Array(0);

  /** @param noteFingerprint receives each fingerprint too */
  constructor(
    to: TupleWriter,
    fingerprints: Pick<ReturnType<typeof fingerprintRuns>, 'add'>,
    { fileNo, fingerprintKey }: EncoderOptions,
    noteFingerprint: NoteFingerprint = () => {},
  ) {
    this.#to = to;
    this.#fingerprints = fingerprints;
    this.#fileNo = fileNo;
    this.#fingerprinter = new RowFingerprints(fingerprintKey);
    this.#noteFingerprint = noteFingerprint;
  }

  /** Sets the layout, which is the same for every group of a file. */
  setLayout(wanted: LayoutName): void {
    if (wanted === this.#layout) return;
    this.#layout = wanted;
    const names = columnsOf(wanted);
    this.#places = {
      invoice: names.indexOf('invoice'),
      customerCode: names.indexOf('customerCode'),
      number: names.findIndex((name) => name === 'cardNumber' || name === 'accountNumber'),
    };
    const { invoice, customerCode, number } = this.#places;
    this.#numberKind = names.includes('cardNumber') ? 'cardNumber' : 'accountNumber';
    this.#neededCells = 1 + Math.max(invoice, customerCode, number);
  }

  /** Encodes the rows from `first` up to `end`. Their fingerprints are made at once, so it locates all cells first. */
  encode(packed: PackedRows, first: number, end: number, batchNo: number): void {
    const needed = (end - first) * ROW_SPANS;
    if (this.#spans.length < needed) this.#spans = new Uint32Array(2 * needed);
    const spans = this.#spans;
    for (let row = first; row < end; row += 1) this.#findSpans(packed, row, (row - first) * ROW_SPANS);
    const turned = this.#addTurned(packed, first, end);
    const made = this.#fingerprinter.take();
    for (let row = first; row < end; row += 1) {
      const at = (row - first) * ROW_SPANS;
      this.#writeTuple(packed, row, at, batchNo);
      // Rows without an invoice get no fingerprint: those of a month would all look alike.
      if (spans[at + INVOICE]! < spans[at + INVOICE + 1]!) {
        this.#addFingerprint(made, row - first, packed.lines[row]!);
      }
    }
    for (const [place, row] of turned.entries()) this.#addFingerprint(made, end - first + place, packed.lines[row]!);
  }

  #addFingerprint(made: Buffer, place: number, line: number): void {
    this.#fingerprints.add(made, place * FINGERPRINT_BYTES, line);
    this.#noteFingerprint(made, place * FINGERPRINT_BYTES, line);
  }

  /** @returns the row of each extra fingerprint; these follow the first ones of all rows */
  #addTurned(packed: PackedRows, first: number, end: number): number[] {
    const spans = this.#spans;
    const turned: number[] = [];
    for (let row = first; row < end; row += 1) {
      const at = (row - first) * ROW_SPANS;
      if (spans[at + INVOICE]! >= spans[at + INVOICE + 1]!) continue;
      const added = this.#fingerprinter.addTurned(...this.#paymentOf(packed, row, at));
      for (let left = added; left > 0; left -= 1) turned.push(row);
    }
    return turned;
  }

  #paymentOf({ bytes, cents }: PackedRows, row: number, at: number): Parameters<RowFingerprints['add']> {
    const spans = this.#spans;
    const hasNumber = spans[at + NUMBER]! < spans[at + NUMBER + 1]!;
    const payer = hasNumber ? at + NUMBER : at + CODE;
    const kind = hasNumber ? this.#numberKind : 'customerCode';
    const [invoiceFrom, invoiceTo] = [spans[at + INVOICE]!, spans[at + INVOICE + 1]!];
    return [bytes, invoiceFrom, invoiceTo, spans[payer]!, spans[payer + 1]!, cents[row]!, kind];
  }

  #findSpans(packed: PackedRows, row: number, at: number): void {
    const { bytes, starts } = packed;
    const start = starts[row]!;
    // Exclude the line end. No cell holds a comma, so each comma before it ends a cell.
    this.#findCells(bytes, start, starts[row + 1]! - 1);
    this.#setSpan(at + INVOICE, this.#places.invoice, start);
    this.#setSpan(at + CODE, this.#places.customerCode, start);
    this.#setSpan(at + NUMBER, this.#places.number, start);
    this.#fingerprinter.add(...this.#paymentOf(packed, row, at));
  }

  #writeTuple({ bytes, lines, cents }: PackedRows, row: number, at: number, batchNo: number): void {
    const [to, spans] = [this.#to, this.#spans];
    const numberEnd = spans[at + NUMBER + 1]!;
    to.begin(7);
    to.int8(this.#fileNo);
    to.int4(lines[row]!);
    to.int4(batchNo);
    to.bytes(bytes, spans[at + INVOICE]!, spans[at + INVOICE + 1]!);
    to.bytes(bytes, spans[at + CODE]!, spans[at + CODE + 1]!);
    to.int8(cents[row]!);
    to.bytes(bytes, numberEnd - SHOWN_DIGITS[numberEnd - spans[at + NUMBER]!]!, numberEnd);
  }

  #findCells(bytes: Uint8Array, start: number, end: number): void {
    const [ends, needed] = [this.#ends, this.#neededCells];
    let cell = 0;
    for (let at = start; at < end && cell < needed; at += 1) {
      if (bytes[at] !== COMMA) continue;
      ends[cell] = at;
      cell += 1;
    }
    // The last cell has no comma after it.
    if (cell < needed) ends[cell] = end;
  }

  #setSpan(at: number, place: number, start: number): void {
    this.#spans[at] = place < 1 ? start : this.#ends[place - 1]! + 1;
    this.#spans[at + 1] = place < 0 ? start : this.#ends[place]!;
  }
}

type NoteFingerprint = (fingerprints: Buffer, at: number, line: number) => void;

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
