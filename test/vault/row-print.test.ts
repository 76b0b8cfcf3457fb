import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newFingerprintKey, openFingerprinter } from '../../src/vault/fingerprint.ts';
import { BLOCK_BYTES, keyFor, openRowPrinter, PRINT_BYTES, printKey } from '../../src/vault/row-print.ts';
import { masterKeyOf } from '../support/load-master-key.ts';

const MASTER = masterKeyOf(1);

function printOf(invoice: string, payer: string, cents: number, seed = 1): string {
  const bytes = Buffer.from(`<${payer}|${invoice}>`);
  const gap = 1 + Buffer.byteLength(payer);
  const { add, take } = openRowPrinter(Buffer.alloc(32, seed));
  add(bytes, gap + 1, bytes.length - 1, 1, gap, cents);
  return take().toString('hex', 0, PRINT_BYTES);
}

describe('openRowPrinter', () => {
  it('gives the same from one release to the next', () => {
    expect(printOf('INV-7', '4222222222222220', 2_500)).toBe('5a57187c8b0da62c');
  });

  it('gives others under another key', () => {
    expect(printOf('a', 'b', 1, 2)).not.toBe(printOf('a', 'b', 1));
  });

  it('makes of many payments at once what it makes of each, and then begins anew', () => {
    const { add, take } = openRowPrinter(Buffer.alloc(32, 1));
    for (const rows of [100, 3]) {
      for (let cents = 1; cents <= rows; cents += 1) add(Buffer.from('ab'), 0, 1, 1, 2, cents);
      const prints = take();
      expect(prints.length).toBe(rows * BLOCK_BYTES);
      for (let cents = 1; cents <= rows; cents += 1) {
        const at = (cents - 1) * BLOCK_BYTES;
        expect(prints.toString('hex', at, at + PRINT_BYTES)).toBe(printOf('a', 'b', cents));
      }
    }
  });

  it('differs exactly when invoice, payer or cents differ', () => {
    const some = fc.tuple(
      fc.string({ unit: fc.constantFrom('a', '0'), maxLength: 3 }),
      fc.string({ unit: fc.constantFrom('a', '0'), maxLength: 3 }),
      fc.constantFrom(1, -1, 256, 2 ** 40),
    );
    fc.assert(
      fc.property(some, some, (one, other) => {
        expect(printOf(...one) === printOf(...other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });
});

describe('printKey', () => {
  const fingerprint = openFingerprinter(MASTER, newFingerprintKey(MASTER));

  it('is one of 32 bytes for each account and operation', () => {
    const keys = [
      printKey(fingerprint, 'a', 'card'),
      printKey(fingerprint, 'b', 'card'),
      printKey(fingerprint, 'a', 'ach'),
      keyFor(fingerprint, ['other']),
    ].map((key) => key.toString('hex'));
    expect(new Set(keys).size).toBe(4);
    expect(keys.every((key) => key.length === 64 && key.slice(0, 32) !== key.slice(32))).toBe(true);
    expect(printKey(fingerprint, 'a', 'card').toString('hex')).toBe(keys[0]);
  });
});
