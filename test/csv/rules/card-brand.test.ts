import { describe, expect, it } from 'vitest';
import { isOfBrand } from '../../../src/csv/rules/card-brand.ts';

/** Returns a number with this start and length. The check digit does not matter here. */
function numberOf(start: string, length: number): string {
  return start.padEnd(length, '0');
}

describe('isOfBrand', () => {
  it.each([
    ['VISA', '4', 13],
    ['VISA', '4222222222222220', 16],
    ['VISA', '4', 19],
    ['MC', '51', 16],
    ['MC', '55', 16],
    ['MC', '2221', 16],
    ['MC', '272099', 16],
    ['AMX', '34', 15],
    ['AMX', '37', 15],
    ['DSC', '6011', 16],
    ['DSC', '644', 16],
    ['DSC', '65', 19],
    ['DSC', '622126', 16],
    ['DSC', '622925', 17],
    ['MAESTR', '50', 12],
    ['MAESTR', '58', 19],
    ['MAESTR', '6', 16],
  ])('%s takes %s in %i digits', (mop, start, length) => {
    expect(isOfBrand(mop, numberOf(start, length))).toBe(true);
  });

  it.each([
    ['VISA', '5', 16],
    ['VISA', '4', 15],
    ['MC', '50', 16],
    ['MC', '56', 16],
    ['MC', '2220', 16],
    ['MC', '272100', 16],
    ['MC', '51', 15],
    ['AMX', '35', 15],
    ['AMX', '34', 16],
    ['DSC', '6012', 16],
    ['DSC', '643', 16],
    ['DSC', '622125', 16],
    ['DSC', '622926', 16],
    ['DSC', '65', 15],
    ['MAESTR', '51', 16],
    ['MAESTR', '59', 16],
    ['MAESTR', '6', 20],
    ['JCB', '35', 16],
  ])('%s does not take %s in %i digits', (mop, start, length) => {
    expect(isOfBrand(mop, numberOf(start, length))).toBe(false);
  });
});
