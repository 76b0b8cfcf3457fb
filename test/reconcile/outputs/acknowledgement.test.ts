import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../../schemas/errors.ts';
import { faultCells, faultGroups, saidEffect } from '../../../src/reconcile/outputs/acknowledgement.ts';
import type { Fault } from '../../../src/rows/rows.ts';

/** Returns the lines of a notice about faults, found in pages of three. */
function grouped(faults: readonly Fault[]): string[][] {
  const { take, end } = faultGroups(() => 'row withheld');
  const lines: string[][] = [];
  for (let from = 0; from < faults.length; from += 3) lines.push(...take(faults.slice(from, from + 3)));
  return [...lines, ...end()];
}

function amount(line: number, value = '$1'): Fault {
  return { code: 'AMOUNT_FORMAT', column: 'amount', line, value };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

describe('faultGroups', () => {
  it('shows a single fault as it always was', () => {
    const fault: Fault = { code: 'CARD_FORMAT', line: 3, column: 'cardNumber', detail: 'a dash', value: '****-2220' };
    expect(grouped([fault])).toEqual([faultCells(fault)]);
    expect(grouped([{ code: 'EMPTY', line: 0 }])).toEqual([
      faultCells({ code: 'EMPTY', line: 0 }).with(3, 'row withheld'),
    ]);
  });

  it.each([
    [range(2, 412), ['lines 2 to 412 (411 rows)']],
    [[2, 3, 4, 7, 9, 10], ['lines 2 to 4, 7, 9 to 10 (6 rows)']],
    [[7], ['7']],
    [range(1, 21).map((n) => 2 * n), [expect.stringMatching(/^lines 2, 4, .*, 40 \(20 rows\)$/), '42']],
  ])('names the lines %j of one fault together', (lines, shown) => {
    expect(grouped(lines.map((line) => amount(line))).map(([place]) => place)).toEqual(shown);
  });

  it('keeps faults of other codes, columns and details apart, and rows with two faults together', () => {
    const faults = [2, 3].flatMap((line): Fault[] => [
      amount(line),
      { code: 'FIELD_REQUIRED', column: 'invoice', line },
      { code: 'FIELD_REQUIRED', column: 'mop', line },
      { code: 'DUPLICATE_ROW', line, detail: `the first is on line ${line + 10}` },
    ]);
    expect(grouped(faults).map(([place, column, code]) => [place, column, code])).toEqual([
      ['lines 2 to 3 (2 rows)', 'Amount', 'AMOUNT_FORMAT'],
      ['lines 2 to 3 (2 rows)', 'Invoice #', 'FIELD_REQUIRED'],
      ['lines 2 to 3 (2 rows)', 'MOP', 'FIELD_REQUIRED'],
      ['2', '', 'DUPLICATE_ROW'],
      ['3', '', 'DUPLICATE_ROW'],
    ]);
  });

  it('shows each value once, and at most three', () => {
    const values = (...all: string[]) => grouped(all.map((value, index) => amount(index + 2, value)))[0]![5];
    expect(values('$1', '$2', '$1')).toBe('$1; $2');
    expect(values('$1', '$2', '$3')).toBe('$1; $2; $3');
    expect(values('$1', '$2', '$3', '$4', '$5')).toBe('$1; $2; $3; …');
  });

  it('loses no line and invents none, however many faults differ', () => {
    const CODE = fc.constantFrom('AMOUNT_FORMAT', 'EXPIRY_PAST', 'COLUMN_COUNT');
    const FAULT = fc.record({ code: CODE, gap: fc.nat(2), detail: fc.nat(2_500).map(String) });
    fc.assert(
      fc.property(fc.array(FAULT, { maxLength: 3_000, size: 'max' }), (found) => {
        let line = 1;
        const faults = found.map(({ gap, ...fault }): Fault => ({ ...fault, line: (line += 1 + gap) }));
        const told = grouped(faults).flatMap(([place = '', , code]) =>
          place
            .replace(/^lines | \(\d+ rows\)$/g, '')
            .split(', ')
            .flatMap((run) => {
              const [from = 0, to = from] = run.split(' to ').map(Number);
              return range(from, to).map((each) => `${each} ${code}`);
            }),
        );
        expect(told.toSorted()).toEqual(faults.map((fault) => `${fault.line} ${fault.code}`).toSorted());
      }),
      { numRuns: 30 },
    );
  });
});

describe('saidEffect', () => {
  it.each([
    ['ACCEPTED', null, 'AMOUNT_FORMAT', 3, 'row withheld'],
    ['ACCEPTED', null, 'SAME_TOTALS', 0, 'note'],
    ['ACCEPTED', 'WRONG_SIGN', 'WRONG_SIGN', 3, 'held, then approved'],
    ['HELD', 'WRONG_SIGN', 'WRONG_SIGN', 3, 'file held'],
    ['HELD', 'WRONG_SIGN', 'AMOUNT_FORMAT', 4, 'withheld if the file is approved'],
    ['REJECTED', 'COLUMN_COUNT', 'COLUMN_COUNT', 4, 'file refused'],
    ['REJECTED', 'COLUMN_COUNT', 'STRAY_QUOTE', 5, 'file refused'],
    ['REJECTED', 'COLUMN_COUNT', 'AMOUNT_FORMAT', 6, 'refused with the file'],
    ['REJECTED', 'COLUMN_COUNT', 'WRONG_SIGN', 7, 'refused with the file'],
    ['REJECTED', 'COLUMN_COUNT', 'SAME_TOTALS', 0, 'note'],
    ['REJECTED', 'TOO_MANY_BAD_ROWS', 'TOO_MANY_BAD_ROWS', 0, 'file refused'],
    ['REJECTED', 'COLUMN_COUNT', 'DATE_FAR', 8, 'note'],
    ['CANCELLED', 'WRONG_SIGN', 'WRONG_SIGN', 3, 'cancelled with the file'],
    ['CANCELLED', 'WRONG_SIGN', 'AMOUNT_FORMAT', 4, 'cancelled with the file'],
  ] as const)('says in a notice %s for %s of %s on line %i: %s', (status, reason, code, line, words) => {
    const effect = code === 'SAME_TOTALS' ? 'hold' : ERRORS[code].effect;
    expect(saidEffect({ status, code: reason }, { code, line }, effect)).toBe(words);
  });
});
