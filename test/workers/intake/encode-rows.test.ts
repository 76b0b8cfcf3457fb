import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf, type LayoutName, LAYOUTS } from '../../../schemas/layouts.ts';
import { lastFour } from '../../../src/kernel/mask.ts';
import { writeRow } from '../../../src/ledger/copy/row-tuples.ts';
import { tupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';
import { openRowPrinter, PRINT_BYTES } from '../../../src/crypto/fingerprints/row-print.ts';
import { rowEncoder, withheldRow } from '../../../workers/intake/encode-rows.ts';
import { cardRow } from '../../support/payment-rows.ts';

const KEY = Buffer.alloc(32, 5);
const OPTIONS = { fileNo: 3, printKey: KEY };

/** What is kept of a row: its tuple, and its fingerprints with its line. */
type Kept = { tuple: Uint8Array; prints: { line: number; print: string }[] };

/** A simple version built from texts and objects. */
function keepSlowly(layout: LayoutName, cells: readonly string[], line: number, cents: number, batchNo: number): Kept {
  const valueOf = (...names: string[]) => cells[columnsOf(layout).findIndex((name) => names.includes(name))] ?? '';
  const [invoice, customerCode, number] = [
    valueOf('invoice'),
    valueOf('customerCode'),
    valueOf('cardNumber', 'accountNumber'),
  ];
  const bytes = Buffer.from(invoice + (number || customerCode));
  const end = Buffer.byteLength(invoice);
  const printer = openRowPrinter(KEY);
  const numberKind = columnsOf(layout).includes('cardNumber') ? 'cardNumber' : 'accountNumber';
  const payment = [bytes, 0, end, end, bytes.length, cents, number ? numberKind : 'customerCode'] as const;
  printer.add(...payment);
  printer.addTurned(...payment);
  const made = printer.take().toString('hex').match(/.{16}/g)!;
  const to = tupleWriter();
  writeRow(to, 3, { line, batchNo, invoice, customerCode, amountCents: cents, lastFour: lastFour(number) });
  return { tuple: to.take()!, prints: invoice === '' ? [] : made.map((print) => ({ line, print })) };
}

function keepQuickly(layout: LayoutName, cells: readonly string[], line: number, cents: number, batchNo: number): Kept {
  const bytes = Buffer.from(`x,y\n${cells.join(',')}\nz,`);
  const to = tupleWriter();
  const { prints, add } = gatherPrints();
  const encoder = rowEncoder(to, { add }, OPTIONS);
  encoder.setLayout(layout);
  const starts = Uint32Array.of(0, 4, bytes.length - 2);
  const packed = {
    count: 2,
    bytes,
    starts,
    lines: Uint32Array.of(line - 1, line),
    cents: Float64Array.of(1, cents),
  };
  encoder.encode(packed, 1, 2, batchNo);
  return { tuple: to.take()!, prints };
}

function gatherPrints() {
  const prints: Kept['prints'] = [];
  const add = (bytes: Buffer, at: number, line: number) =>
    void prints.push({ line, print: bytes.toString('hex', at, at + PRINT_BYTES) });
  return { prints, add };
}

const someText = fc.string({ unit: fc.constantFrom('a', 'B', '7', ' ', 'é', '漢', '\u{1F600}'), maxLength: 80 });
const someDigits = fc.string({ unit: fc.constantFrom('0', '1', '4', '9'), maxLength: 30 });

describe('rowEncoder', () => {
  it.each(Object.keys(LAYOUTS) as LayoutName[])('makes of the bytes of %s what is made of its texts', (layout) => {
    const columns = columnsOf(layout);
    const someCells = fc.tuple(...columns.map((name) => (name.endsWith('Number') ? someDigits : someText)));
    fc.assert(
      fc.property(
        someCells,
        fc.integer({ min: 1 }),
        fc.maxSafeInteger(),
        fc.integer({ min: 1 }),
        (cells, line, cents, batchNo) => {
          expect(keepQuickly(layout, cells, line, cents, batchNo)).toEqual(
            keepSlowly(layout, cells, line, cents, batchNo),
          );
        },
      ),
    );
  });

  it('makes of many rows at once what it makes of each', () => {
    const rows = Array.from({ length: 40 }, (_, index) => cardRow(index + 1));
    const sizes = rows.map((row) => Buffer.byteLength(row) + 1);
    const packed = {
      count: rows.length,
      bytes: Buffer.from(rows.map((row) => `${row}\n`).join('')),
      starts: Uint32Array.from([0, ...sizes.map((_, index) => sizes.slice(0, index + 1).reduce((a, b) => a + b))]),
      lines: Uint32Array.from(rows, (_, index) => index + 1),
      cents: Float64Array.from(rows, (_, index) => 100 + index),
    };
    const [together, oneByOne] = [tupleWriter(), tupleWriter()];
    const [some, others] = [gatherPrints(), gatherPrints()];
    const [encoder, slow] = [rowEncoder(together, some, OPTIONS), rowEncoder(oneByOne, others, OPTIONS)];
    encoder.setLayout('card');
    slow.setLayout('card');
    encoder.encode(packed, 0, 30, 1);
    encoder.encode(packed, 30, rows.length, 2);
    rows.forEach((_, row) => slow.encode(packed, row, row + 1, row < 30 ? 1 : 2));
    expect(together.take()).toEqual(oneByOne.take());
    expect(some.prints).toEqual(others.prints);
    expect(some.prints).toHaveLength(rows.length);
  });
});

describe('withheldRow', () => {
  it('keeps line and invoice, and the amount where it could be read', () => {
    const raw = { line: 4, cells: cardRow(4).split(',') };
    expect(withheldRow('card', { raw, faults: [], amountCents: 2_500 })).toEqual({
      line: 4,
      batchNo: null,
      invoice: 'C-4',
      customerCode: '',
      amountCents: 2_500,
      lastFour: '',
    });
  });
});
