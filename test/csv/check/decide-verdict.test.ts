import type { EffectRules } from '../../../src/rows/rows.ts';
import { describe, expect, it } from 'vitest';
import { decideVerdict } from '../../../src/csv/check/check-payment-file.ts';
import { effectOf, faultTally } from '../../../src/csv/check/fault-effect.ts';
import type { CheckRules } from '../../../src/csv/check/check-rules.ts';
import type { FaultCode } from '../../../schemas/errors.ts';
import { ACCOUNT, CARD_HEADER, cardLine, checkAll, chunksOf, rulesWith } from '../support.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { hasReasonColumn, leaveOutReason } from '../../../src/csv/check/find-header.ts';
import { readRawRows } from '../../../src/csv/read/read-raw-lines.ts';

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

const RULES: EffectRules = { duplicateRows: 'reject', sameTotals: 'hold', chargedBefore: 'hold' };

describe('effectOf', () => {
  it.each([
    ['CARD_BRAND', 'row'],
    ['COLUMN_COUNT', 'reject'],
    ['WRONG_SIGN', 'hold'],
    ['SAME_ROWS', 'hold'],
    ['TEXT_REPLACED', 'warn'],
  ] as const)('of %s is %s, as the table says', (code, effect) => {
    expect(effectOf(code, RULES)).toBe(effect);
  });

  it.each(['hold', 'reject', 'warn'] as const)('of a duplicate row is what the folder says: %s', (duplicateRows) => {
    expect(effectOf('DUPLICATE_ROW', { ...RULES, duplicateRows })).toBe(duplicateRows);
  });

  it('of a row like another one refuses nothing', () => {
    const effectUnder = (duplicateRows: EffectRules['duplicateRows']) =>
      effectOf('LIKE_ROW', { ...RULES, duplicateRows });
    expect((['hold', 'reject', 'warn'] as const).map(effectUnder)).toEqual(['hold', 'hold', 'warn']);
  });

  it.each([
    ['hold', 'hold'],
    ['warn', 'warn'],
    // Found before the folder turned this check off.
    ['off', 'warn'],
  ] as const)('of what other files show is what the folder says: %s', (setting, effect) => {
    expect(effectOf('SAME_TOTALS', { ...RULES, sameTotals: setting })).toBe(effect);
    expect(effectOf('CHARGED_BEFORE', { ...RULES, chargedBefore: setting })).toBe(effect);
  });
});

describe('faultTally', () => {
  it('counts by code and knows what follows', () => {
    const tally = faultTally(rulesWith({ folder: { duplicateRows: 'reject' } }).folder);
    tally.count({ code: 'CARD_BRAND', line: 1 });
    tally.count({ code: 'CARD_BRAND', line: 2 });
    expect(tally.counts()).toEqual({ CARD_BRAND: 2 });
    expect([tally.has('row'), tally.has('reject'), tally.has('hold')]).toEqual([true, false, false]);
    tally.count({ code: 'DUPLICATE_ROW', line: 3 });
    expect(tally.has('reject')).toBe(true);
  });

  it('lists the first thousand faults of structure and counts the others', () => {
    const tally = faultTally(rulesWith().folder);
    const listed = Array.from({ length: 1_500 }, (_, index) => {
      return tally.countStructural({ code: index % 2 === 0 ? 'ENCODING' : 'COLUMN_COUNT', line: index + 1 });
    });
    expect(listed.lastIndexOf(true)).toBe(999);
    expect(listed.indexOf(false)).toBe(1_000);
    expect(tally.counts()).toEqual({ ENCODING: 750, COLUMN_COUNT: 750 });
    expect(tally.summarise()).toEqual([
      { code: 'ENCODING', line: 0, detail: '750 in all; 250 of them are not listed' },
      { code: 'COLUMN_COUNT', line: 0, detail: '750 in all; 250 of them are not listed' },
    ]);
  });

  it('has nothing to summarise when all were listed', () => {
    const tally = faultTally(rulesWith().folder);
    tally.countStructural({ code: 'ENCODING', line: 1 });
    expect(tally.summarise()).toEqual([]);
  });
});

const CODE_HEADER = 'Invoice #,Customer Code,Amount,Comment';
const ACH_HEADER = 'Invoice #,First Name,Last Name,Account Type,Account #,Amount,Comment';

function rowOf(text: string, line = 1) {
  return { line, cells: text.split(',') };
}

describe('hasReasonColumn', () => {
  it.each<[string, FolderOperation, boolean]>([
    [`${CARD_HEADER},Reason`, 'card', true],
    [`${CODE_HEADER},Reason`, 'card', true],
    [`${CODE_HEADER}, REASON `, 'ach-refund', true],
    [`${ACH_HEADER},Reason`, 'ach-charge', true],
    [CARD_HEADER, 'card', false],
    [CODE_HEADER.replace('Comment', 'Reason'), 'card', false],
    [`${CODE_HEADER},Reasons`, 'card', false],
    [`Reason,${CODE_HEADER}`, 'card', false],
    [`${CODE_HEADER},Reason,Reason`, 'card', false],
    [`${CARD_HEADER},Reason`, 'ach-charge', false],
  ])('%s for %s: %s', (header, operation, expected) => {
    expect(hasReasonColumn(operation, rowOf(header))).toBe(expected);
  });
});

describe('leaveOutReason', () => {
  it('takes the last column from every row, whatever its width', () => {
    const rows = [rowOf('K-1,A1,25.00,June,AMOUNT_ZERO', 2), rowOf('K-2,A1,25.00,because', 3), rowOf('K-3', 4)];
    expect(leaveOutReason('card', rowOf(`${CODE_HEADER},Reason`), rows)).toEqual([
      rowOf('K-1,A1,25.00,June', 2),
      rowOf('K-2,A1,25.00', 3),
      { line: 4, cells: [] },
    ]);
  });

  it.each([
    ['no header', undefined],
    ['a header without it', rowOf(CODE_HEADER)],
  ])('gives back the very same rows with %s', (_, header) => {
    const rows = [rowOf('K-1,A1,25.00,June,because', 2)];
    expect(leaveOutReason('card', header, rows)).toBe(rows);
  });

  it('keeps a security code that stands in the place of the reason, so that it is found', () => {
    const row = rowOf(`${cardLine()},987`, 2);
    expect(leaveOutReason('card', rowOf(`${CARD_HEADER},Reason`), [row])).toEqual([row]);
  });
});

describe('a rejects file that comes back', () => {
  const HEADER = `${CARD_HEADER},Reason`;
  const REASON = '"AMOUNT_ZERO: the amount is zero, or so"';

  it('is checked and read again without its reasons', async () => {
    // More rows than one group holds, so the header and most rows come in different groups.
    const rows = Array.from({ length: 1_100 }, (_, n) => `${cardLine({ invoice: `N-${n}` })},${n % 2 ? REASON : ''}`);
    const text = `${[HEADER, ...rows].join('\r\n')}\r\n`;
    const checked = await checkAll(text);
    expect(checked).toMatchObject({ verdict: 'accept', layout: 'card', headerLine: 1, codes: [], records: 1_100 });
    expect(new Set(checked.rows.map((row) => row.raw.cells.length))).toEqual(new Set([12]));
    expect(await readAgain(text, checked.headerLine, 'card')).toEqual(checked.rows.map((row) => row.raw));
  });

  it('finds the layout of the rows in an ACH folder as well', async () => {
    const text = `${ACH_HEADER},Reason\nA-1,Ada,Byron,SAVING,${ACCOUNT},5.00,Gift,why\n`;
    expect(await checkAll(text, { operation: 'ach-charge' })).toMatchObject({ verdict: 'accept', layout: 'ach' });
  });

  it('is refused when a row lacks a cell, instead of sending the reason as its comment', async () => {
    const lines = [`${CODE_HEADER},Reason`, 'K-1,A1,25.00,June,x', 'K-2,A1,25.00,because'];
    const checked = await checkAll(`${lines.join('\n')}\n`);
    expect(checked).toMatchObject({ verdict: 'reject', layout: 'card-code' });
    expect(checked.rowFaults).toEqual([
      { code: 'COLUMN_COUNT', line: 3, detail: '3 columns, expected 4; Reason is not counted' },
    ]);
  });

  it('is refused for a security code in the place of a reason', async () => {
    const checked = await checkAll(
      `${[HEADER, `${cardLine()},x`, `${cardLine({ invoice: 'N-2' })},987`].join('\n')}\n`,
    );
    expect(checked.verdict).toBe('reject');
    expect(checked.rowFaults).toMatchObject([{ code: 'SECURITY_CODE', line: 3 }]);
  });

  it.each([
    ['another title in its place', HEADER.replace('Reason', 'Because')],
    ['no header', ''],
  ])('is no such file with %s', async (_, header) => {
    const checked = await checkAll(`${[header, `${cardLine()},x`].join('\n')}\n`);
    expect(checked.verdict).toBe('reject');
    expect(checked.codes).toContain('COLUMN_COUNT');
  });

  it('still has its titles compared with the columns', async () => {
    const swapped = HEADER.replace('City,State', 'State,City');
    expect((await checkAll(`${swapped}\n${cardLine()},x\n`)).codes).toEqual(['LAYOUT_FOLDER', 'LAYOUT_FOLDER']);
  });
});

async function readAgain(text: string, headerLine: number | null, operation: FolderOperation) {
  const rows = [];
  for await (const group of readRawRows(chunksOf(text, 50), { charset: 'utf-8', headerLine, operation })) {
    rows.push(...group);
  }
  return rows;
}
