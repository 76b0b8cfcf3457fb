import { expect, it } from 'vitest';
import { fingerprintRow } from '../../workers/fingerprint-row.ts';

const APP = { fingerprint: (parts: readonly string[]) => Buffer.from(parts.join('|')) };
const PAYMENT = {
  line: 3,
  invoice: 'INV',
  customerCode: '',
  amountCents: -2_500,
  number: '4222222222222220',
  canonical: ['INV', 'and more'],
};

it('fingerprintRow marks account, operation, invoice, amount and payer, and nothing else of a row', () => {
  const file = { account: 'main', operation: 'card' } as const;
  expect(String(fingerprintRow(APP, file, PAYMENT))).toBe('main|card|INV|-2500|4222222222222220');
  const coded = { ...PAYMENT, number: '', customerCode: 'A1' };
  expect(String(fingerprintRow(APP, file, coded))).toBe('main|card|INV|-2500|A1');
  const elsewhere = { ...PAYMENT, line: 9, canonical: [] };
  expect(fingerprintRow(APP, file, elsewhere)).toEqual(fingerprintRow(APP, file, PAYMENT));
});
