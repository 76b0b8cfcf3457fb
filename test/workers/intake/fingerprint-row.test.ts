import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { PaymentRow } from '../../../src/rows/rows.ts';
import { rowFingerprinter } from '../../../workers/intake/fingerprint-row.ts';

const APP = {
  fingerprint: (parts: readonly string[]) => createHash('sha256').update(parts.join('|')).digest().subarray(0, 16),
};
const FILE = { account: 'main', operation: 'card' } as const;
const PAYMENT = {
  line: 3,
  invoice: 'INV',
  customerCode: '',
  amountCents: -2_500,
  number: '4222222222222220',
  canonical: ['INV', 'and more'],
};

const printOf = (changes: Partial<PaymentRow> = {}, file: Parameters<typeof rowFingerprinter>[1] = FILE) =>
  rowFingerprinter(APP, file)({ ...PAYMENT, ...changes }).toString('hex');

describe('rowFingerprinter', () => {
  it('knows a payment again, wherever in its file it stands and whatever else its row says', () => {
    expect(printOf({ line: 9, canonical: [] })).toBe(printOf());
    expect(printOf({ customerCode: 'A1' })).toBe(printOf());
  });

  it.each([
    ['invoice', { invoice: 'INV2' }],
    ['amount', { amountCents: 2_500 }],
    ['number', { number: '4222222222222221' }],
    ['customer code', { number: '', customerCode: 'A1' }],
    ['boundary between invoice and number', { invoice: 'INV4', number: '222222222222220' }],
  ])('tells payments apart by their %s', (_what, changes) => {
    expect(printOf(changes)).not.toBe(printOf());
  });

  it('tells accounts apart, and charges and refunds', () => {
    expect(printOf({}, { ...FILE, account: 'other' })).not.toBe(printOf());
    expect(printOf({}, { ...FILE, operation: 'ach-refund' })).not.toBe(printOf());
  });

  it('knows a payer of a code again in every operation that charges', () => {
    const byCode = { number: '', customerCode: 'A1' };
    expect(printOf(byCode, { ...FILE, operation: 'ach-charge' })).toBe(printOf(byCode));
  });
});
