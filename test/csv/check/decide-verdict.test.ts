import { describe, expect, it } from 'vitest';
import { decideVerdict } from '../../../src/csv/check/check-payment-file.ts';
import { faultTally } from '../../../src/csv/check/fault-effect.ts';
import type { CheckRules } from '../../../src/csv/check/check-rules.ts';
import type { FaultCode } from '../../../schemas/errors.ts';
import { rulesWith } from '../support.ts';

const SOUND = {
  bytes: 100,
  physicalLines: 11,
  blankLines: 0,
  mixesLineEnds: false,
  isLastLineOpen: false,
  layout: 'card',
  headerLine: 1,
  faults: [],
  records: 10,
  valid: { rows: 10, cents: 100 },
  declaredCents: 100,
} as const;

function decide(
  found: Partial<Parameters<typeof decideVerdict>[0]> = {},
  codes: FaultCode[] = [],
  folder: Partial<CheckRules['folder']> = {},
) {
  const rules = rulesWith({ folder });
  const tally = faultTally(rules.folder);
  for (const code of codes) tally.count({ code, line: 1 });
  const { verdict, faults } = decideVerdict({ ...SOUND, ...found }, rules, tally);
  return [verdict, ...faults.map((fault) => fault.code)].join(' ');
}

const bad = (rows: number) => ({ valid: { rows: 10 - rows, cents: 100 } });

describe('decideVerdict', () => {
  it.each<[string, ReturnType<typeof decide>]>([
    ['accept', decide()],
    ['accept LAST_LINE_OPEN', decide({ isLastLineOpen: true })],
    ['hold NO_FINAL_NEWLINE', decide({ isLastLineOpen: true }, [], { finalNewline: 'hold' })],
    ['accept MIXED_LINE_ENDS', decide({ mixesLineEnds: true })],
    ['accept', decide({}, ['TEXT_REPLACED'])],
    ['hold', decide({}, ['WRONG_SIGN'])],
    ['hold', decide({}, ['SPREADSHEET_DAMAGE', 'TEXT_REPLACED'])],
    ['reject', decide({}, ['COLUMN_COUNT', 'WRONG_SIGN'])],
    ['hold', decide({}, ['DUPLICATE_ROW'])],
    ['reject', decide({}, ['DUPLICATE_ROW'], { duplicateRows: 'reject' })],
    ['accept', decide({}, ['DUPLICATE_ROW'], { duplicateRows: 'warn' })],
    ['reject LINES_DIFFER', decide({ physicalLines: 12 })],
    ['reject LINES_DIFFER', decide({ headerLine: null })],
    ['accept', decide({ physicalLines: 15, blankLines: 4 })],
    [
      'reject EMPTY',
      decide({ bytes: 0, records: 0, physicalLines: 0, headerLine: null, valid: { rows: 0, cents: 0 } }),
    ],
    ['reject NO_ROWS', decide({ records: 0, physicalLines: 1, valid: { rows: 0, cents: 0 } })],
  ])('%s', (expected, decided) => {
    expect(decided).toBe(expected);
  });

  it('withholds invalid rows up to the share that the folder takes, then holds the file', () => {
    expect(decide(bad(1), ['CARD_BRAND'])).toBe('accept');
    expect(decide(bad(2), ['CARD_BRAND'])).toBe('hold TOO_MANY_BAD_ROWS');
    expect(decide(bad(1), ['CARD_BRAND'], { badRows: { policy: 'withhold', maxPercent: 9.9 } })).toBe(
      'hold TOO_MANY_BAD_ROWS',
    );
    expect(decide(bad(1), ['CARD_BRAND'], { badRows: { policy: 'withhold', maxPercent: 0 } })).toBe(
      'hold TOO_MANY_BAD_ROWS',
    );
  });

  it('refuses a file with one invalid row where the folder says so', () => {
    const badRows = { policy: 'reject-file', maxPercent: 10 } as const;
    expect(decide(bad(1), ['CARD_BRAND'], { badRows })).toBe('reject TOO_MANY_BAD_ROWS');
    expect(decide({}, ['TEXT_REPLACED'], { badRows })).toBe('accept');
  });

  it('never accepts a file that leaves nothing to send', () => {
    const badRows = { policy: 'withhold', maxPercent: 100 } as const;
    expect(decide(bad(9), ['CARD_BRAND'], { badRows })).toBe('accept');
    expect(decide(bad(10), ['CARD_BRAND'], { badRows })).toBe('reject NO_ROWS');
    expect(decide(bad(10), ['WRONG_SIGN'])).toBe('reject TOO_MANY_BAD_ROWS NO_ROWS');
  });
});
