import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardCell, unguardCell } from '../../../src/csv/write/guard-cell.ts';

describe('guardCell', () => {
  it.each([
    ['+M-2', "'+M-2"],
    ["'+M-2", "''+M-2"],
    [' =1', "'=1"],
    [" '+M-2 ", "''+M-2"],
    ["'t Hooft", "'t Hooft"],
    ['M-2', 'M-2'],
    ["'", "'"],
  ])('writes %j as %j', (cell, shown) => {
    expect(guardCell(cell)).toBe(shown);
  });

  it('leaves nothing that begins like a formula', () => {
    fc.assert(
      fc.property(CELL, (cell) => {
        expect(guardCell(cell).trim()).not.toMatch(/^[=+\-@\uff1d\uff0b\uff0d\uff20]/);
      }),
    );
  });
});

describe('unguardCell', () => {
  it('gives back every cell but for blanks around it, however often it was guarded', () => {
    fc.assert(
      fc.property(CELL, fc.integer({ min: 1, max: 3 }), (cell, times) => {
        let shown = cell;
        for (let left = times; left > 0; left -= 1) shown = guardCell(shown);
        for (let left = times; left > 0; left -= 1) shown = unguardCell(shown);
        expect(shown.trim()).toBe(cell.trim());
      }),
    );
  });

  it.each(["'t Hooft", "O'Neill", "'1", '', "'", '+1'])('leaves %j, which nobody guarded', (cell) => {
    expect(unguardCell(cell)).toBe(cell);
  });

  it("takes the apostrophe also where somebody put blanks around it: '+1", () => {
    expect(unguardCell(" '+1 ")).toBe('+1');
  });
});

const CELL = fc.string({
  unit: fc.constantFrom("'", '=', '+', '-', '@', ' ', '\u00a0', 'a', '1', '.', '\uff1d', '"', ','),
  maxLength: 6,
});
