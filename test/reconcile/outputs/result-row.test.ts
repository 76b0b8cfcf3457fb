import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { AccountConfig, type OutputForm } from '../../../schemas/config.ts';
import { RESULT_TITLES, type ResultTitle } from '../../../schemas/layouts.ts';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { REJECTIONS } from '../../../schemas/rejections.ts';
import {
  CHANGE_TITLES,
  changeCells,
  correctionOf,
  type FinishedRow,
  REASON_TITLE,
  resultCells,
  resultTitles,
  titlesOf,
} from '../../../src/reconcile/outputs/result-row.ts';
import { LAYOUT_NAMES } from '../support/result-rows.ts';

const OUTCOME_NAMES = Object.keys(OUTCOMES) as Outcome[];
const CODES = [null, ...Array.from({ length: 130 }, (_, code) => code), 9_999];

const NOT_CHARGED = OUTCOME_NAMES.filter((outcome) => outcome !== 'approved');
const NEVER: Outcome[] = ['approved', 'accepted_pending', 'duplicate', 'unknown'];

/** The form without settings. */
const USUAL: OutputForm = AccountConfig.shape.outputs.parse({});

/** Returns the cell of a row under a title. */
function cellOf(title: ResultTitle, row: Partial<FinishedRow>, form = USUAL): string {
  return resultCells(finishedRow(row), [], form)[1 + resultTitles(form).indexOf(title)]!;
}

describe('resultCells', () => {
  it('puts the line before the input and the outcome behind it', () => {
    const row = finishedRow({
      line: 3,
      outcome: 'declined',
      code: 19,
      message: 'REJECT: 19',
      batchId: '4471',
      sentAt: '2026-06-15 10:00:00 -04:00',
      resultAt: '2026-06-15 10:00:30 -04:00',
      attempt: 2,
    });
    expect(resultCells(row, ['INV-7', 'A1', '25.00', ''], USUAL).join('|')).toBe(
      '3|INV-7|A1|25.00||DECLINED|19|REJECT: 19||4471|2026-06-15 10:00:00 -04:00|2026-06-15 10:00:30 -04:00|2' +
        '||USD|main|Incorrect CVV2 security code; correct the row and drop the rejects file',
    );
  });

  it('leaves empty what is not known', () => {
    const row = finishedRow({ line: 4, outcome: 'invalid', message: 'CARD_FORMAT: x', batchId: '', attempt: null });
    const cells = resultCells(row, ['INV-8'], USUAL).slice(0, -4);
    expect(cells).toEqual(['4', 'INV-8', 'INVALID', '', 'CARD_FORMAT: x', '', '', '', '', '']);
  });

  it('shows code 0 and attempt 0 as such', () => {
    const row = { outcome: 'unknown', code: 0, attempt: 0 } as const;
    expect([cellOf('Code', row), cellOf('Attempt', row)]).toEqual(['0', '0']);
  });

  it.each(OUTCOME_NAMES)('has a cell for each title, and names %s by its label', (outcome) => {
    const cells = resultCells(finishedRow({ outcome }), ['a', 'b'], USUAL);
    expect(cells).toHaveLength(3 + RESULT_TITLES.length);
    expect(cells[3]).toBe(OUTCOMES[outcome].label);
  });

  it.each([
    ['approved', 2_500, 'point', '25.00'],
    ['approved', -5, 'point', '-0.05'],
    ['approved', -2_500, 'comma', '-25,00'],
    ['approved', 123_456_789, 'comma', '1234567,89'],
    ...NOT_CHARGED.map((outcome) => [outcome, 2_500, 'point', ''] as const),
  ] as const)(
    'says of a row %s of %i cents, with a decimal %s, that %j was charged',
    (outcome, cents, decimal, cell) => {
      expect(cellOf('Amount Charged', { outcome, cents }, { ...USUAL, decimal })).toBe(cell);
    },
  );

  it.each([
    [{ outcome: 'approved', cents: 100 }, 'Charged; nothing to do'],
    [{ outcome: 'approved', cents: -100 }, 'Refunded; nothing to do'],
    [{ outcome: 'declined', code: 15 }, 'General decline; ask the customer to call the bank'],
    [{ outcome: 'declined', code: 14 }, 'The card is over its limit; drop the retry file later'],
    [{ outcome: 'declined', code: null }, OUTCOMES.declined.says],
    [{ outcome: 'unknown', code: 70 }, OUTCOMES.unknown.says],
    [{ outcome: 'invalid', code: null }, OUTCOMES.invalid.says],
  ] as const)('says what %j means', (row, says) => {
    expect(cellOf('Meaning', row)).toBe(says);
  });

  it('never advises to drop a row again that no correction file has', () => {
    for (const outcome of OUTCOME_NAMES) {
      for (const code of CODES) {
        const kind = correctionOf(finishedRow({ outcome, code }))?.kind;
        const advised = /\b(rejects|retry) file\b/.exec(cellOf('Meaning', { outcome, code }))?.[1];
        if (advised !== undefined) expect([outcome, code, advised]).toEqual([outcome, code, kind]);
      }
    }
  });

  it('has the columns of its form in the order of the table, Outcome always', () => {
    const form: OutputForm = { ...USUAL, columns: ['Meaning', 'Amount Charged'] };
    expect(resultTitles(form)).toEqual(['Outcome', 'Amount Charged', 'Meaning']);
    expect(resultCells(finishedRow({ cents: 100 }), ['a'], form)).toEqual([
      '2',
      'a',
      'APPROVED',
      '1.00',
      'Charged; nothing to do',
    ]);
    expect(resultTitles({ columns: [] })).toEqual(['Outcome']);
  });
});

describe('correctionOf', () => {
  it.each(NEVER)('gives no %s row back for correction, whatever its code', (outcome) => {
    for (const code of CODES) expect(correctionOf(finishedRow({ outcome, code }))).toBeUndefined();
  });

  it.each(['format_error', 'not_sent', 'invalid'] as const)('gives each %s row back with its message', (outcome) => {
    for (const code of CODES) {
      expect(correctionOf(finishedRow({ outcome, code, message: 'why' }))).toEqual({ kind: 'rejects', reason: 'why' });
    }
  });

  it('gives a row that reports of the service lack back to be sent again as it is', () => {
    const row = finishedRow({ outcome: 'not_charged', message: 'not charged: two reports lack it' });
    const how = 'may be sent again as it is, by "paydrop resubmit", which asks the service once more';
    const reason = `not charged: two reports lack it; ${how}`;
    expect(correctionOf(row)).toEqual({ kind: 'retry', reason });
  });

  it('says something of every outcome', () => {
    const told = [...NEVER, 'format_error', 'not_charged', 'not_sent', 'invalid', 'declined'];
    expect(told.sort()).toEqual([...OUTCOME_NAMES].sort());
  });

  it.each(Object.entries(REJECTIONS))('sorts a decline with code %s by its advice', (text, { advice, message }) => {
    const correction = correctionOf(finishedRow({ outcome: 'declined', code: Number(text), message: 'REJECT' }));
    switch (advice) {
      case 'later':
        return expect(correction).toEqual({
          kind: 'retry',
          reason: `${message} (code ${text}); may be sent again later as it is`,
        });
      case 'fix':
      case 'cardholder':
      case 'merchant':
        return expect(correction).toEqual({ kind: 'rejects', reason: `${message} (code ${text})` });
      case 'never':
      case 'unknown':
        return expect(correction).toBeUndefined();
    }
  });

  it('lets the same data be sent later for these codes only', () => {
    const later = CODES.filter((code) => correctionOf(finishedRow({ outcome: 'declined', code }))?.kind === 'retry');
    expect(later).toEqual([14, 22, 23, 91]);
  });

  it('gives no decline back whose code says never, says that nobody knows, or is not listed', () => {
    const kept = CODES.filter((code) => !correctionOf(finishedRow({ outcome: 'declined', code })));
    const listed = kept.filter((code) => code !== null && code in REJECTIONS);
    const unlisted = CODES.filter((code) => code !== null && !(code in REJECTIONS));
    expect(listed).toEqual([7, 8, 18, 25, 55, 63, 68, 69, 70, 100]);
    expect(kept).toEqual([...listed, ...unlisted].sort((left, right) => left! - right!));
  });

  it('gives a decline without a code back with its message', () => {
    const row = finishedRow({ outcome: 'declined', code: null, message: 'refused by hand' });
    expect(correctionOf(row)).toEqual({ kind: 'rejects', reason: 'refused by hand' });
  });
});

function finishedRow(row: Partial<FinishedRow>): FinishedRow {
  return {
    line: 2,
    outcome: 'approved',
    code: null,
    message: '',
    authorization: '',
    batchId: '4471',
    sentAt: '',
    resultAt: '',
    attempt: 1,
    cents: 2_500,
    currency: 'USD',
    account: 'main',
    ...row,
  };
}

const ROW = {
  line: 3,
  outcome: 'approved',
  code: null,
  message: 'OK: 7:',
  authorization: '7',
  batchId: '4471',
  sentAt: 'then',
  resultAt: 'later',
  attempt: 1,
  cents: 2_500,
  currency: 'USD',
  account: 'main',
} as const;
const BEFORE = { outcome: 'declined', code: 14, message: 'REJECT: 14', changedAt: 'now', evidence: 'asked again' };

describe('changeCells', () => {
  it('are those of the result as it is now, and then what was before', () => {
    const cells = changeCells(ROW, ['INV-1', '25.00'], BEFORE, USUAL);
    const result = resultCells(ROW, ['INV-1', '25.00'], USUAL);
    expect(cells.slice(0, result.length)).toEqual(result);
    expect(cells.slice(result.length)).toEqual(['DECLINED', '14', 'REJECT: 14', 'now', 'asked again']);
    expect(cells).toHaveLength(result.length + CHANGE_TITLES.length);
  });

  it('leaves the old code empty when there was none, and shows code 0', () => {
    const old = (code: number | null) => changeCells(ROW, [], { ...BEFORE, code }, USUAL).at(-4);
    expect([old(null), old(0)]).toEqual(['', '0']);
  });
});

describe('titlesOf', () => {
  it.each([
    ['ach', 'Invoice #,First Name,Last Name,Account Type,Account #,Amount,Comment'],
    ['ach-code', 'Invoice #,Customer Code,Amount,Comment'],
    ['card', 'Date,Invoice #,First Name,Last Name,Street,City,State,Zip Code,Amount,MOP,Credit Card #,Expiry'],
    ['card-ca', 'Date,Invoice #,Full Name,Amount,MOP,Credit Card #,Expiry'],
    ['card-code', 'Invoice #,Customer Code,Amount,Comment'],
  ] as const)('are for %s the words of the spec', (layout, titles) => {
    expect(titlesOf(layout).join(',')).toBe(titles);
  });
});

describe('RESULT_TITLES and CHANGE_TITLES', () => {
  it('are those that docs/file-formats.md names', async () => {
    const page = await readFile(new URL('../../../docs/file-formats.md', import.meta.url), 'utf8');
    for (const titles of [RESULT_TITLES, CHANGE_TITLES]) expect(page).toContain(`\`${titles.join(', ')}\``);
  });

  it.each(LAYOUT_NAMES)('are other words than those of %s, as are Line and Reason', (layout) => {
    const all = ['Line', ...titlesOf(layout), ...RESULT_TITLES, REASON_TITLE];
    expect(new Set(all).size).toBe(all.length);
  });
});
