import { describe, expect, it } from 'vitest';
import { findTitles, trySeparators } from '../../../src/csv/suggest/form.ts';
import { rowsOf } from '../../../src/csv/suggest/sample-rows.ts';

describe('trySeparators', () => {
  it.each([
    ['comma', ['a,b,c,d', '1,2,"3,5",4', '5,6,7,8']],
    ['semicolon', ['a;b;c;d', 'x, y;1,50;2,50;z', 'x, y;1,50;2,50;z']],
    ['tab', ['a\tb\tc\td', '1\t2\t3\t4']],
    ['pipe', ['Report', '', 'a|b|c|d', '1|2|3|4', 'Printed today']],
  ] as const)('is sure of %s', (separator, lines) => {
    const { trials, isSure } = trySeparators(lines);
    expect([trials[0]?.separator, isSure]).toEqual([separator, true]);
  });

  it('is not sure when two fit', () => {
    expect(trySeparators(['a,b,c;d;e', '1,2,3;4;5']).isSure).toBe(false);
  });

  it('is not sure when lines differ', () => {
    expect(trySeparators(['a,b,c,d', '1,2,3', '1,2,3,4,5', '1,2,3,4']).isSure).toBe(false);
  });
});

describe('findTitles', () => {
  const find = (...lines: string[]) => findTitles(rowsOf(lines, 'comma'), 4);

  it.each([
    [0, ['Date,Num,Name,Amount', '06/15/2026,1,Ada,1.00']],
    [1, ['Acme Club,,,', 'Datum,Nummer,Name,Betrag', '15.06.2026,1,Ada,1.00']],
    [0, ['Uno,Dos,Tres,Quatro', '1,2,3,4']],
  ])('is sure that row %i has the titles of %j', (place, lines) => {
    expect(find(...lines)).toEqual({ place, isSure: true });
  });

  it('finds none above data', () => {
    expect(find('D,27,021000021,10.00', 'D,27,021000021,11.00')).toEqual({ place: -1, isSure: true });
  });

  it('is not sure where the rows below look alike', () => {
    expect(find('Ada,Byron,Troy,red', 'Bo,Wu,Leeds,blue').isSure).toBe(false);
  });
});
