import { describe, expect, it } from 'vitest';
import { dateRule } from '../../../src/csv/rules/rule-of-column.ts';
import { apply } from '../support.ts';

describe('dateRule', () => {
  it.each([
    ['06/15/2026', '06/15/2026'],
    ['6/5/2026', '06/05/2026'],
    ['06/14/2025', '06/14/2025'],
    ['06/16/2027', '06/16/2027'],
    ['06/13/2025', 'DATE_FAR 06/13/2025'],
    ['06/17/2027', 'DATE_FAR 06/17/2027'],
    ['02/29/2028', 'DATE_FAR 02/29/2028'],
    ['02/29/2000', 'DATE_FAR 02/29/2000'],
    ['02/29/2026', 'DATE_FORMAT'],
    ['02/29/1900', 'DATE_FORMAT'],
    ['04/31/2026', 'DATE_FORMAT'],
    ['15/06/2026', 'DATE_FORMAT'],
    ['00/10/2026', 'DATE_FORMAT'],
    ['06/00/2026', 'DATE_FORMAT'],
    ['06/15/26', 'DATE_FORMAT'],
    ['06/15/0026', 'DATE_FORMAT'],
    ['2026-06-15', 'DATE_FORMAT'],
    ['06/15/2026 10:00', 'DATE_FORMAT'],
    ['15-Jun', 'SPREADSHEET_DAMAGE'],
    ['########', 'SPREADSHEET_DAMAGE'],
  ])('takes %j for %j', (cell, expected) => {
    expect(apply(dateRule('2026-06-15'), cell)).toBe(expected);
  });
});
