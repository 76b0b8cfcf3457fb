import { describe, expect, it } from 'vitest';
import { evidenceOf, isBalanceOf, sumsIn } from '../../../src/csv/suggest/kinds-of-columns.ts';
import { OTHER_VISA, VISA } from '../support.ts';

describe('evidenceOf', () => {
  it('knows cards by their check digit, and no phone number of twelve digits', () => {
    expect(evidenceOf([VISA, OTHER_VISA, '4222 2222 2222 2220'], 0).isCard).toBe(true);
    expect(evidenceOf(['491512345678', '491512345679'], 0).isCard).toBe(false);
  });

  it('keeps no words where there is a long number, because words are shown whole', () => {
    expect([...evidenceOf(['Visa', 'visa ', 'Amex'], 0).words]).toEqual([
      ['Visa', 2],
      ['Amex', 1],
    ]);
    expect(evidenceOf(['Visa', 'DE89 3704 0044 0532 0130 00'], 0).words.size).toBe(0);
  });

  it('looks at every cell: one decides the marks', () => {
    const forms = (last: string) => evidenceOf([...Array<string>(50).fill('25.00'), last], 0).numberForms;
    expect(forms('1,234.00').map(({ decimal, group }) => [decimal, group])).toEqual([['.', ',']]);
    expect(forms('30.00').length).toBeGreaterThan(1);
    expect(forms('1.234,00')).toEqual([]);
  });
});

describe('amounts that belong together', () => {
  const amount = evidenceOf(['10.00', '20.00', '30.00', '5.00'], 0);

  it('shows a running balance', () => {
    expect(isBalanceOf(evidenceOf(['110.00', '130.00', '160.00', '165.00'], 1), amount)).toBe(true);
    expect(isBalanceOf(evidenceOf(['110.00', '130.00', '161.00', '100.00'], 1), amount)).toBe(false);
  });

  it('finds columns that add up in all rows', () => {
    const tax = evidenceOf(['1.00', '2.00', '3.00', '0.50'], 1);
    expect(sumsIn([amount, tax, evidenceOf(['11.00', '22.00', '33.00', '5.50'], 2)])).toEqual([
      { add: [0, 1], equals: 2 },
    ]);
    expect(sumsIn([amount, tax, evidenceOf(['11.00', '22.00', '33.00', '5.51'], 2)])).toEqual([]);
  });
});
