import { describe, expect, it } from 'vitest';
import { COLUMNS, type ColumnName } from '../../../schemas/columns.ts';
import { scanColumn, scanRules } from '../../../src/csv/scan/scan-column.ts';
import { rulesWith } from '../support.ts';

describe('scanColumn', () => {
  it('has the same fields for every column, in the same order', () => {
    const shapes = (Object.keys(COLUMNS) as ColumnName[]).map((name) => Object.keys(scanColumn(name, 0, rulesWith())));
    expect(new Set(shapes.map(String)).size).toBe(1);
  });

  it('replaces commas in free text, where the folder says so', () => {
    const replaces = (name: ColumnName, textCommas: 'replace' | 'reject') =>
      scanColumn(name, 0, rulesWith({ folder: { textCommas } })).replacesCommas;
    expect([replaces('comment', 'replace'), replaces('comment', 'reject')]).toEqual([true, false]);
    expect([replaces('state', 'replace'), replaces('invoice', 'replace')]).toEqual([false, false]);
  });

  it('takes limits from the table of fields', () => {
    expect(scanColumn('city', 5, rulesWith())).toMatchObject({
      kind: 'text',
      place: 5,
      required: false,
      maxLength: 40,
    });
    expect(scanColumn('customerCode', 1, rulesWith())).toMatchObject({ kind: 'text', isCode: true, required: true });
  });
});

describe('scanRules', () => {
  it('are those of the check', () => {
    const rules = rulesWith({ operation: 'ach-refund', today: '2026-06-15', folder: { routingCheck: true } });
    expect(scanRules(rules)).toMatchObject({ sign: -1, largestCents: Infinity, routingCheck: true, thisMonth: 24_318 });
    expect(scanRules({ ...rules, largestRowCents: 7 }).largestCents).toBe(7);
  });
});
