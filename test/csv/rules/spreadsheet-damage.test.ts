import { describe, expect, it } from 'vitest';
import { findDamage, findMonthName } from '../../../src/csv/rules/text.ts';

describe('findDamage', () => {
  it.each([
    '4.11E+15',
    '4.22222E+15',
    '2.1E+24',
    '1E+05',
    '-1.5E-07',
    '4,11E+15',
    '="00123"',
    '= "00123"',
    '#####',
    '#REF!',
    '#N/A',
    '#DIV/0!',
    '#NAME?',
  ])('sees the trace in %s', (cell) => {
    expect(findDamage(cell)).toEqual(expect.any(String));
  });

  it.each([
    '5e2',
    '5E2',
    'E+1',
    'SE+12',
    'MODEL 1E+05 X',
    '#1',
    '##',
    '#12 Main St',
    '=5',
    'REF!',
    '12E',
    '',
    '4222222222222220',
  ])('leaves %j alone', (cell) => {
    expect(findDamage(cell)).toBeUndefined();
  });
});

describe('findMonthName', () => {
  it.each(['Dec-17', '17-Dec', '1-Mar', 'Sep-2028', '17-Dec-28'])('sees a day in %s', (cell) => {
    expect(findMonthName(cell)).toEqual(expect.any(String));
  });

  it.each(['DEC-17', 'dec-17', 'Dec17', 'Decade-17', 'Dec-17-A', '12-17', 'Dec', 'INV-Dec-17'])(
    'leaves %s alone',
    (cell) => {
      expect(findMonthName(cell)).toBeUndefined();
    },
  );
});
