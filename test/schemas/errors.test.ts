import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ERRORS, EXIT, type FaultCode, type QuarantineCode, saidCode } from '../../schemas/errors.ts';
import { ADVICE, rejectionOf, REJECTIONS, saidAnswer } from '../../schemas/rejections.ts';
import { ALARM_KINDS, USUAL_ALARM_KINDS } from '../../schemas/alarms.ts';
import { METRICS } from '../../schemas/metrics.ts';
import { stepText } from '../../schemas/steps.ts';
import { WORK } from '../../schemas/jobs.ts';

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
    expect(saidCode('AMOUNT_ZERO')).toBe('the amount is zero');
    expect(saidCode('OF_OLD')).toBe('OF_OLD');
  });
});

describe('EXIT', () => {
  it('gives each way to end a number of its own, 0 for success', () => {
    expect(EXIT).toEqual({ ok: 0, usage: 1, invalid: 2, held: 3, unknownOpen: 4, exception: 5 });
  });
});

describe('REJECTIONS', () => {
  it('tells code 19 as an incorrect CVV2 security code, the one pair that the spec gives', () => {
    expect(REJECTIONS[19]?.message).toMatch(/CVV2/);
    expect(rejectionOf(19)).toEqual({ message: 'Incorrect CVV2 security code', advice: 'fix' });
  });

  it('gives every code a message in one line and an advice', () => {
    for (const [code, row] of Object.entries(REJECTIONS)) {
      expect(Number(code), code).toBeGreaterThan(0);
      expect(row.message, code).toMatch(/^[A-Z][^\n]*[^.\s]$/);
      expect(ADVICE, code).toContain(row.advice);
    }
  });

  it('uses every kind of advice', () => {
    const used = new Set(Object.values(REJECTIONS).map((row) => row.advice));
    expect([...used].toSorted()).toEqual([...ADVICE].toSorted());
  });

  it.each([7, 8, 18, 25, 63, 100])('code %i is never sent again', (code) => {
    expect(rejectionOf(code).advice).toBe('never');
  });

  it.each([55, 68, 69, 70])('code %i may have moved money, so it is not a decline', (code) => {
    expect(rejectionOf(code).advice).toBe('unknown');
  });

  it.each([14, 22, 23, 91])('code %i may be tried later with the same data', (code) => {
    expect(rejectionOf(code).advice).toBe('later');
  });

  it('offers no other code for sending again as it is', () => {
    const later = Object.entries(REJECTIONS).flatMap(([code, row]) => (row.advice === 'later' ? [Number(code)] : []));
    expect(later).toEqual([14, 22, 23, 91]);
  });
});

describe('rejectionOf', () => {
  it.each([0, 13, 99, 101, -1, 1.5])('names the unlisted code %d and calls its outcome unknown', (code) => {
    expect(rejectionOf(code)).toEqual({ message: `Rejection code ${code}, which is not listed`, advice: 'unknown' });
  });
});

describe('saidAnswer', () => {
  it.each([
    ['REJECT: 1', 1, 'The agent code is not set up, or the login is wrong (REJECT: 1)'],
    ['REJECT: 999', 999, 'Rejection code 999, which is not listed (REJECT: 999)'],
    ['OK: 678594', null, 'OK: 678594'],
  ])('puts the meaning of its code before %s', (text, code, said) => {
    expect(saidAnswer(text, code)).toBe(said);
  });
});

describe('ALARM_KINDS', () => {
  it.each(Object.entries(ALARM_KINDS))('%s says what it means and what to do', (kind, { means, next }) => {
    expect(kind).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(means).toMatch(/^[a-z].*[^.]$/);
    expect(next).toMatch(/^paydrop [a-z ]+$|^[A-Z].*\.$/);
  });

  it('each has its section in docs/operating.md, and there is none of another', async () => {
    const page = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    const [, part = ''] = page.split('\n## Alarms\n');
    const [own = ''] = part.split('\n## ');
    expect([...own.matchAll(/^### (\w+)$/gm)].map(([, kind]) => kind)).toEqual(Object.keys(ALARM_KINDS));
  });
});

describe('USUAL_ALARM_KINDS', () => {
  it('leaves out only what nobody wants at night', () => {
    expect(Object.keys(ALARM_KINDS).filter((kind) => !USUAL_ALARM_KINDS.some((usual) => usual === kind))).toEqual([
      'rows_withheld',
      'file_done',
      'digest',
    ]);
  });
});

describe('METRICS', () => {
  it.each(Object.entries(METRICS))('%s has a name as Prometheus wants it and says what it is', (name, { help }) => {
    expect(name).toMatch(/^paydrop(_[a-z]+)+$/);
    expect(help).toMatch(/^\S.*[^.]$/);
  });

  it('names the unit of whatever has one, at its end', () => {
    const units = Object.entries(METRICS).filter(([, { help }]) =>
      /\bcents\b|longest time|time since|delay|\bsize\b|space/i.test(help),
    );
    for (const [name] of units) expect(name).toMatch(/_(?:seconds|cents|bytes)(?:_total)?$/);
    expect(units.length).toBeGreaterThan(5);
  });
});

describe('WORK', () => {
  it.each(Object.entries(WORK))('%s says what is done and what helps', (_name, row) => {
    expect(row.doing).toMatch(/^[a-z][^.]*$/);
    expect(stepText(row.next)).toMatch(/\.$/);
  });
});
