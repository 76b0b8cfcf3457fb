import { expect, it } from 'vitest';
import { HASH_WORDS, paymentHasher } from '../../../src/csv/check/duplicate-rows.ts';

const output = Buffer.from('INV-7,C1,INV-8');
const PAYMENT = { output, invoiceStart: 0, invoiceEnd: 5, payerStart: 6, payerEnd: 8, cents: 2_500 };

function hash(payment: typeof PAYMENT, key = Uint32Array.of(1, 2)): string {
  const hashes = new Uint32Array(3 * HASH_WORDS);
  paymentHasher(key)(payment, hashes, 1);
  expect([...hashes.subarray(0, HASH_WORDS), ...hashes.subarray(2 * HASH_WORDS)]).toEqual([0, 0, 0, 0]);
  return String(hashes.subarray(HASH_WORDS, 2 * HASH_WORDS));
}

it('paymentHasher gives the same for the same payment and key, and else something different', () => {
  const others = [
    hash({ ...PAYMENT, invoiceStart: 9, invoiceEnd: 14 }),
    hash({ ...PAYMENT, payerEnd: 7 }),
    hash({ ...PAYMENT, cents: 2_501 }),
    hash(PAYMENT, Uint32Array.of(1, 3)),
  ];
  expect(hash({ ...PAYMENT, output: Buffer.from(output) })).toBe(hash(PAYMENT));
  expect(new Set([hash(PAYMENT), ...others]).size).toBe(5);
});
