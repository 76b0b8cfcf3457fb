import { columnsOf, type LayoutName, layoutOf } from '../../schemas/layouts.ts';
import type { FolderOperation } from '../../schemas/operations.ts';
import type { CheckedRow } from '../../src/csv/check-payment-file.ts';
import { COMMA } from '../../src/kernel/byte-names.ts';
import { lastFour } from '../../src/kernel/mask.ts';
import { type NewRow } from '../../src/ledger/copy/row-tuples.ts';
import type { TupleWriter } from '../../src/ledger/copy/tuple-writer.ts';
import { VOLUME_BYTES, volumeBytes } from '../../src/ledger/volume-bytes.ts';
import { maskRow } from '../../src/reconcile/outputs/mask-row.ts';
import { openRowPrinter, PRINT_BYTES } from '../../src/vault/row-print.ts';

/** What is the same for all rows of a file. */
export type EncoderOptions = {
  readonly fileNo: number;
  /** Where their fingerprints go (src/ledger/fingerprint-volumes.ts). */
  readonly volume: number;
  /** See `printKey`. */
  readonly printKey: Uint8Array;
};

/**
 * Makes tuples of payment_row out of the bytes of valid rows, without an object or a text for each: the ledger keeps
 * invoice, customer code, money, the end of the number and the fingerprint.
 */
export function rowEncoder(to: TupleWriter, { fileNo, volume, printKey }: EncoderOptions) {
  const printer = openRowPrinter(printKey);
  const fingerprint = new Uint8Array(VOLUME_BYTES + PRINT_BYTES);
  fingerprint.set(volumeBytes(volume));
  let layout: LayoutName | undefined;
  let places = { invoice: -1, customerCode: -1, number: -1 };
  let columns = 0;
  const ends = new Uint32Array(MOST_COLUMNS);
  const [invoice, code, number] = [newSpan(), newSpan(), newSpan()];

  /** Every group of a file has the same layout. */
  function setLayout(wanted: LayoutName): void {
    if (wanted === layout) return;
    layout = wanted;
    const names = columnsOf(wanted);
    columns = names.length;
    places = {
      invoice: names.indexOf('invoice'),
      customerCode: names.indexOf('customerCode'),
      number: names.findIndex((name) => name === 'cardNumber' || name === 'accountNumber'),
    };
  }

  /** @param end the place of the line end */
  function encode(bytes: Uint8Array, start: number, end: number, line: number, cents: number, batchNo: number): void {
    findCells(bytes, start, end);
    takeCell(invoice, places.invoice, start);
    takeCell(code, places.customerCode, start);
    takeCell(number, places.number, start);
    const digits = number.to - number.from;
    printer.print(bytes, invoice, digits > 0 ? number : code, cents, fingerprint, VOLUME_BYTES);
    to.begin(8);
    to.int8(fileNo);
    to.int4(line);
    to.int4(batchNo);
    to.bytes(bytes, invoice.from, invoice.to);
    to.bytes(bytes, code.from, code.to);
    to.int8(cents);
    to.bytes(bytes, number.to - SHOWN_DIGITS[digits]!, number.to);
    to.bytes(fingerprint, 0, fingerprint.length);
  }

  function findCells(bytes: Uint8Array, start: number, end: number): void {
    let cell = 0;
    for (let at = start; at < end; at += 1) {
      if (bytes[at] !== COMMA) continue;
      ends[cell] = at;
      cell += 1;
    }
    ends[columns - 1] = end;
  }

  function takeCell(span: Span, place: number, start: number): void {
    span.from = place < 1 ? start : ends[place - 1]! + 1;
    span.to = place < 0 ? start : ends[place]!;
  }

  return { setLayout, encode };
}

type Span = { from: number; to: number };

function newSpan(): Span {
  return { from: 0, to: 0 };
}

/** More than any layout has. */
const MOST_COLUMNS = 64;

/** How many digits `lastFour` leaves of a number, by the length of the number. */
const SHOWN_DIGITS = Uint8Array.from({ length: 256 }, (_, length) => lastFour('0'.repeat(length)).length);

/** A row that is not sent is kept by line and invoice, so that it can be found; nothing else of it can be trusted. */
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
    fingerprint: null,
  };
}

/** A withheld row may hold anything in its invoice; more than this is no invoice. */
const LONGEST_INVOICE = 100;
