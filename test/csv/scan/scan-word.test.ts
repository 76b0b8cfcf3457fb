import { describe, expect, it } from 'vitest';
import { brandOf } from '../../../src/csv/rules/card-brand.ts';
import { accountTypeWords, mopWords, scanWord } from '../../../src/csv/scan/scan-column.ts';
import { scanCellOf } from './support.ts';

const UK = { server: 'UK', country: 'UK', currency: 'EUR' } as const;

function scan(text: string, words = accountTypeWords()) {
  return scanCellOf(`${text},`, (scan, at) => scanWord(scan, at, words));
}

describe('scanWord', () => {
  it.each([
    ['CHECKING', 'CHECKING'],
    ['savings', 'SAVING'],
    ['Saving', 'SAVING'],
  ])('reads %s', (text, sent) => {
    expect(scan(text)).toMatchObject({ sent, rest: ',' });
  });

  it.each(['', 'CHECK', '3AVING', 'x'])('declines %j', (text) => {
    expect(scan(text)).toBeUndefined();
  });

  it('leaves behind what makes it another word', () => {
    expect(scan('CHECKINGS')?.rest).toBe('S,');
  });

  it('knows the brand of a method of payment', () => {
    expect(scan('visa', mopWords(UK))).toMatchObject({ sent: 'VISA', scan: { brand: brandOf('VISA') } });
  });
});

describe('mopWords', () => {
  it('are those of the server that the currency of the account takes', () => {
    const wordsOf = (account: Parameters<typeof mopWords>[0]) => mopWords(account).map(({ sent }) => String(sent));
    expect(wordsOf(UK)).toEqual(['VISA', 'MC', 'AMX']);
    expect(wordsOf({ ...UK, currency: 'GBP' })).toEqual(['VISA', 'MC', 'AMX', 'MAESTR']);
    expect(wordsOf({ server: 'NA', country: 'CA', currency: 'CAD' })).toEqual(['VISA', 'MC', 'AMX']);
  });
});
