import { describe, expect, it } from 'vitest';
import { rowNotes } from '../../../src/csv/check/row-notes.ts';
import { rulesWith, VISA } from '../support.ts';

const notes = () => rowNotes(['invoice', 'cardNumber'], 1, rulesWith().folder);

describe('rowNotes', () => {
  it('reports with line, column, detail and masked value', () => {
    const { startRow, moveTo, report, faults } = notes();
    startRow({ line: 7, cells: [' a,b ', VISA] });
    report('FIELD_COMMA');
    moveTo(1);
    report('CARD_BRAND', 'not a number of MC');
    expect(faults()).toEqual([
      { code: 'FIELD_COMMA', line: 7, column: 'invoice', value: 'a,b' },
      { code: 'CARD_BRAND', line: 7, column: 'cardNumber', detail: 'not a number of MC', value: '************2220' },
    ]);
  });

  it('leaves out the value of an empty cell, and column and value of a fault of the row', () => {
    const { startRow, report, reportRow, faults } = notes();
    startRow({ line: 7, cells: ['', VISA] });
    report('FIELD_REQUIRED');
    reportRow('DUPLICATE_ROW', 'the first stands on line 2');
    expect(faults()).toEqual([
      { code: 'FIELD_REQUIRED', line: 7, column: 'invoice' },
      { code: 'DUPLICATE_ROW', line: 7, detail: 'the first stands on line 2' },
    ]);
  });

  it('knows whether more than a warning was said, of each row anew', () => {
    const { startRow, report, isInvalid, faults } = notes();
    startRow({ line: 1, cells: ['a', VISA] });
    report('TEXT_REPLACED');
    expect(isInvalid()).toBe(false);
    report('FIELD_TOO_LONG');
    expect(isInvalid()).toBe(true);
    const before = faults();
    startRow({ line: 2, cells: ['a', VISA] });
    expect(isInvalid()).toBe(false);
    expect(faults()).toEqual([]);
    expect(before).toHaveLength(2);
  });
});
