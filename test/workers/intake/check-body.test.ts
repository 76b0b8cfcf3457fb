import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../../schemas/layouts.ts';
import { achRow } from '../../support/payment-rows.ts';
import { checkBody } from '../../../workers/intake/cut-bodies.ts';

const COLUMNS = columnsOf('ach');
const ROWS = [achRow(1, { amount: '25.00' }), achRow(2, { amount: '-0.07' }), achRow(3, { amount: '1234567.89' })];
const CENTS = [2_500, -7, 123_456_789];

function check(rows: readonly string[], cents = CENTS, encoding: BufferEncoding = 'utf8'): number {
  return checkBody(Buffer.from(rows.join('\n'), encoding), COLUMNS, Float64Array.from(cents));
}

describe('checkBody', () => {
  it('reads the amounts and gives their sum', () => {
    expect(check(ROWS)).toBe(2_500 - 7 + 123_456_789);
    expect(check([achRow(1, { comment: 'Čeština €' })], [2_500])).toBe(2_500);
  });

  const [first, second, third] = ROWS as [string, string, string];
  it.each<[string, readonly string[], RegExp]>([
    ['a row too few', [first, second], /2 rows read, 3 written/],
    ['a row too many', [...ROWS, first], /amount differs/],
    ['a line end behind the last row', [...ROWS, ''], /1 column, expected 7/],
    ['a column too few', [first, second.replace(/,[^,]*$/, ''), third], /row 2 .* 6 columns/],
    ['a column too many', [`${first},`, second, third], /row 1 .* 8 columns/],
    ['another amount', [first, second.replace('0.07', '0.08'), third], /row 2 .* amount differs/],
    ['the amount of another row', [second, first, third], /amount differs/],
    ['an amount without its minus', [first, second.replace('-0.07', '0.07'), third], /amount differs/],
    ['an amount without cents', [first.replace('25.00', '2500'), second, third], /not canonical/],
    ['an amount of three decimals', [first.replace('25.00', '2.500'), second, third], /not canonical/],
    ['an amount without an integer', [first, second.replace('-0.07', '-.07'), third], /not canonical/],
    ['a letter in an amount', [first.replace('25.00', '2o.00'), second, third], /not canonical/],
    ['an empty amount', [first.replace('25.00', ''), second, third], /not canonical/],
    ['a zero byte', [first.replace('June', 'Ju\0ne'), second, third], /no text/],
  ])('refuses %s', (_what, rows, said) => {
    expect(() => check(rows)).toThrow(
      expect.objectContaining({ code: 'BODY_MISMATCH', message: expect.stringMatching(said) }),
    );
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => check([first.replace('June', 'Jün'), second, third], CENTS, 'latin1')).toThrow(/no text/);
  });

  it('says nothing of what stands in a row', () => {
    expect(() => check([first.replace('25.00', '4222222222222220'), second, third])).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('4222') }),
    );
  });
});
