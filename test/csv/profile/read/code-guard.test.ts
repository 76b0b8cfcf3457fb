import { describe, expect, it } from 'vitest';
import { Profile } from '../../../../schemas/profiles.ts';
import { readBoth } from '../support/read-example.ts';

const UNTITLED = Profile.parse({
  layout: 'card-ca',
  read: { charset: 'utf-8', separator: 'semicolon' },
  head: { titles: 'none', count: 8 },
  columns: {
    date: { from: 1, format: 'YYYY-MM-DD' },
    invoice: { from: 2, shape: { starts: ['N-'] } },
    fullName: { from: 3 },
    amount: { from: 4, number: { decimal: '.' }, sign: 'as-written' },
    mop: { from: 5, words: { VISA: 'VISA' } },
    cardNumber: { from: 6 },
    expiry: { from: 7, format: 'MM/YY' },
  },
  ignore: [8],
});

function row(invoice: number, last: string): string {
  return `2026-06-15;N-${invoice};Ada Byron;25.00;VISA;4222222222222220;12/28;${last}`;
}

async function codesOf(lines: readonly string[]) {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const { faults, lines: read } = await readBoth(bytes, UNTITLED, { operation: 'card', today: '2026-06-15' });
  return { codes: faults.map(({ code }) => code), read };
}

describe('a column without a title that is not sent', () => {
  it.each([
    ['holds three or four digits in each row', ['123', '4567'], ['SECURITY_CODE']],
    ['holds them in the only row', ['123'], ['SECURITY_CODE']],
    ['holds the same in each row', ['123', '123'], []],
    ['holds a text in one row', ['123', 'x', '456'], []],
    ['is empty', ['', ''], []],
  ])('%s', async (_, cells, codes) => {
    expect((await codesOf(cells.map((cell, invoice) => row(invoice, cell)))).codes).toEqual(codes);
  });
});

describe('a cell too many', () => {
  it.each([
    ['behind the expiry', row(1, 'x').replace('12/28', '12/28;123'), 'SECURITY_CODE'],
    ['at the end', row(1, 'x;1234'), 'SECURITY_CODE'],
    ['within the name', row(1, 'x').replace('Ada', '123;Ada'), 'COLUMN_COUNT'],
    ['in a row that is no payment without it', row(1, 'x;1234').replace('25.00', 'much'), 'COLUMN_COUNT'],
    ['of five digits', row(1, 'x;12345'), 'COLUMN_COUNT'],
  ])('%s', async (_, line, code) => {
    const { codes, read } = await codesOf([line]);
    expect(codes).toEqual([code]);
    expect(read[0]!.cells.includes('123') || read[0]!.cells.includes('1234')).toBe(
      code !== 'SECURITY_CODE' && !line.includes('12345'),
    );
  });
});
