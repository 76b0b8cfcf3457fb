import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newFingerprintKey, openFingerprinter } from '../../src/vault/fingerprint.ts';
import { keyFor, openRowPrinter, PRINT_BYTES, printKey } from '../../src/vault/row-print.ts';
import { masterKeyOf } from '../support/load-master-key.ts';

const MASTER = masterKeyOf(1);

function printOf(invoice: string, payer: string, cents: number, seed = 1): string {
  const bytes = Buffer.from(`<${payer}|${invoice}>`);
  const gap = 1 + Buffer.byteLength(payer);
  const to = Buffer.alloc(PRINT_BYTES + 2);
  const print = openRowPrinter(Buffer.alloc(32, seed)).print;
  print(bytes, { from: gap + 1, to: bytes.length - 1 }, { from: 1, to: gap }, cents, to, 2);
  return to.toString('hex', 2);
}

describe('openRowPrinter', () => {
  it('gives the same from one release to the next', () => {
    expect(printOf('INV-7', '4222222222222220', 2_500)).toBe('492bc1e46e53bd6c254d1e');
  });

  it('gives others under another key', () => {
    expect(printOf('a', 'b', 1, 2)).not.toBe(printOf('a', 'b', 1));
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
