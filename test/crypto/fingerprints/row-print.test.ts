import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newFingerprintKey, openFingerprinter } from '../../../src/crypto/fingerprints/fingerprint.ts';
import {
  keyFor,
  openRowPrinter,
  type PayerKind,
  PRINT_BYTES,
  printKey,
} from '../../../src/crypto/fingerprints/row-print.ts';
import { masterKeyOf } from '../../support/load-master-key.ts';

const MASTER = masterKeyOf(1);

function printOf(invoice: string, payer: string, cents: number, kind: PayerKind = 'customerCode', seed = 1): string {
  const bytes = Buffer.from(`<${payer}|${invoice}>`);
  const gap = 1 + Buffer.byteLength(payer);
  const { add, take } = openRowPrinter(Buffer.alloc(32, seed));
  add(bytes, gap + 1, bytes.length - 1, 1, gap, cents, kind);
  return take().toString('hex');
}

/** Returns the half that does not depend on the payer. */
const halfOf = (...payment: Parameters<typeof printOf>) => printOf(...payment).slice(0, PRINT_BYTES);

describe('openRowPrinter', () => {
  it('gives the same from one release to the next', () => {
    expect(printOf('INV-7', '4222222222222220', 2_500, 'cardNumber')).toBe('1b533058651f20ab');
  });

  it('gives others under another key', () => {
    expect(printOf('a', 'b', 1, 'customerCode', 2)).not.toBe(printOf('a', 'b', 1));
  });

  it('makes of many payments at once what it makes of each, and then begins anew', () => {
    const { add, take } = openRowPrinter(Buffer.alloc(32, 1));
    for (const rows of [100, 3]) {
      for (let cents = 1; cents <= rows; cents += 1) add(Buffer.from('ab'), 0, 1, 1, 2, cents, 'cardNumber');
      const prints = take();
      expect(prints.length).toBe(rows * PRINT_BYTES);
      for (let cents = 1; cents <= rows; cents += 1) {
        const print = prints.subarray((cents - 1) * PRINT_BYTES, cents * PRINT_BYTES);
        expect(print.toString('hex')).toBe(printOf('a', 'b', cents, 'cardNumber'));
      }
    }
  });

  it('differs exactly when invoice, payer or cents differ', () => {
    const some = fc.tuple(
      fc.string({ unit: fc.constantFrom('a', '1'), maxLength: 3 }),
      fc.string({ unit: fc.constantFrom('a', '1'), maxLength: 3 }),
      fc.constantFrom(1, -1, 256, 2 ** 40),
    );
    fc.assert(
      fc.property(some, some, (one, other) => {
        expect(printOf(...one) === printOf(...other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  it.each([
    ['DUP-00001', 'dup-00001'],
    ['DUP-00001', 'dup 1'],
    ['0001', '1'],
    ['INV/12', 'inv12'],
  ])('is the same for the invoices %s and %s', (one, other) => {
    expect(printOf(one, 'A1', 100)).toBe(printOf(other, 'A1', 100));
    expect(printOf(one, 'A1', 100)).not.toBe(printOf(other, 'A1', 200));
    expect(printOf(one, 'A1', 100)).not.toBe(printOf(other, 'A2', 100));
  });

  it('is the same for a padded account number, and for no other', () => {
    const padded = printOf('a', '02100002100000000040000001', 1, 'accountNumber');
    expect(printOf('a', '02100002140000001', 1, 'accountNumber')).toBe(padded);
    expect(printOf('a', '02100002140000010', 1, 'accountNumber')).not.toBe(padded);
  });

  it('has one more print for what a spreadsheet writes in another way, which both ways have', () => {
    const printsOf = (invoice: string, payer: string, kind: PayerKind) => {
      const bytes = Buffer.from(invoice + payer);
      const payment = [bytes, 0, invoice.length, invoice.length, bytes.length, 1, kind] as const;
      const printer = openRowPrinter(Buffer.alloc(32, 1));
      printer.add(...payment);
      const more = printer.addTurned(...payment);
      const prints = printer.take();
      expect(prints.length).toBe((1 + more) * PRINT_BYTES);
      return Array.from({ length: 1 + more }, (_, at) =>
        prints.toString('hex', at * PRINT_BYTES, (at + 1) * PRINT_BYTES),
      );
    };
    expect(printsOf('1.50', 'A1', 'customerCode')[1]).toBe(printsOf('1.5', 'A1', 'customerCode')[0]);
    expect(printsOf('1.50', '12E4', 'customerCode')[1]).toBe(printsOf('1.5', '120000', 'customerCode')[0]);
    expect(printsOf('11/20/2026', '4', 'cardNumber')[1]).toBe(printsOf('2026-11-20', '4', 'cardNumber')[1]);
    expect(printsOf('INV-0012', '1234567890123456', 'cardNumber')).toHaveLength(1);
    expect(printsOf('1-0012', '12-05', 'customerCode')[1]).toBe(printsOf('10012', '12-05', 'customerCode')[1]);
    expect(printsOf('1.001', 'A1', 'customerCode')).toContain(printsOf('1001', 'A1', 'customerCode')[0]);
    expect(printsOf('1.100', 'A1', 'customerCode')).toHaveLength(2);
    expect(printsOf('1.0500', 'A1', 'customerCode')).toHaveLength(3);
  });

  it('has one half for payers of every kind, and tells the kinds apart', () => {
    const payments: Parameters<typeof printOf>[] = [
      ['a', 'A1', 1],
      ['a', '4222222222222220', 1, 'cardNumber'],
      ['a', '02100002140000001', 1, 'accountNumber'],
    ];
    expect(new Set(payments.map((payment) => halfOf(...payment))).size).toBe(1);
    const kinds = payments.map((payment) => Number.parseInt(printOf(...payment)[PRINT_BYTES]!, 16) >> 2);
    expect(kinds).toEqual([0, 1, 2]);
    expect(halfOf('b', 'A1', 1)).not.toBe(halfOf('a', 'A1', 1));
    expect(halfOf('a', 'A1', 2)).not.toBe(halfOf('a', 'A1', 1));
  });
});

describe('printKey', () => {
  const fingerprint = openFingerprinter(MASTER, newFingerprintKey(MASTER));

  it('is one of 32 bytes for each account, and for what it is paid and what it pays', () => {
    const keys = [
      printKey(fingerprint, 'a', 'card'),
      printKey(fingerprint, 'b', 'card'),
      printKey(fingerprint, 'a', 'ach-refund'),
      keyFor(fingerprint, ['other']),
    ].map((key) => key.toString('hex'));
    expect(new Set(keys).size).toBe(4);
    expect(keys.every((key) => key.length === 64 && key.slice(0, 32) !== key.slice(32))).toBe(true);
    expect(printKey(fingerprint, 'a', 'ach-charge').toString('hex')).toBe(keys[0]);
  });
});
