import { describe, expect, it } from 'vitest';
import { ERRORS, EXIT, type FaultCode, type QuarantineCode, saidCode } from '../../schemas/errors.ts';

type Row = (typeof ERRORS)[keyof typeof ERRORS];
const ROWS = Object.entries(ERRORS) as [string, Row][];

/** Possible effects of a fault, by the place where it is found. */
const EFFECTS: Record<Row['scope'], readonly Row['effect'][]> = {
  row: ['row', 'reject', 'hold', 'warn'],
  file: ['reject', 'hold', 'warn'],
  drop: ['quarantine'],
  system: ['stop'],
};

describe('ERRORS', () => {
  it.each(ROWS)('%s reads well inside a sentence', (code, { means, remedy }) => {
    expect(code).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/);
    // The message is built as: Cannot <action>: <means>. <remedy>
    expect(means).toMatch(/^[a-z]/);
    expect(means).not.toMatch(/[.!?]$/);
    expect(remedy).toMatch(/^[A-Z]/);
    expect(remedy).toMatch(/[^.]\.$/);
    expect(`${means} ${remedy}`).not.toMatch(/\s{2}|\n/);
  });

  it.each(ROWS)('%s follows from its place', (_code, { scope, effect }) => {
    expect(EFFECTS[scope]).toContain(effect);
  });

  it('tells apart what each code means', () => {
    const sentences = ROWS.map(([, row]) => `${row.scope} ${row.effect}: ${row.means}`);
    expect(new Set(sentences).size).toBe(sentences.length);
  });

  it('asks an operator wherever a file is held', () => {
    const held = ROWS.filter(([, row]) => row.effect === 'hold');
    expect(held.length).toBeGreaterThan(0);
    expect(held.filter(([, row]) => row.who !== 'operator')).toEqual([]);
  });

  it('never asks the sender to remedy the installation', () => {
    expect(ROWS.filter(([, row]) => row.scope === 'system').map(([, row]) => row.who as string)).not.toContain(
      'sender',
    );
  });

  it('sorts codes by type as the scope says', () => {
    const fault: FaultCode[] = ['FIELD_REQUIRED', 'EMPTY'];
    const quarantine: QuarantineCode[] = ['DROP_SYMLINK'];
    expect(fault.map((code) => ERRORS[code].scope)).toEqual(['row', 'file']);
    expect(quarantine.map((code) => ERRORS[code].scope)).toEqual(['drop']);
  });
});

describe('saidCode', () => {
  it('says what a code means, and leaves one alone that is no more', () => {
    expect(saidCode('AMOUNT_ZERO')).toBe('the amount is zero (AMOUNT_ZERO)');
    expect(saidCode('OF_OLD')).toBe('OF_OLD');
  });
});

describe('EXIT', () => {
  it('gives each way to end a number of its own, 0 for success', () => {
    expect(EXIT).toEqual({ ok: 0, usage: 1, invalid: 2, held: 3, unknownOpen: 4, exception: 5 });
  });
});
