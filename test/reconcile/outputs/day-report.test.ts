import { describe, expect, it } from 'vitest';
import {
  DAY_AMOUNT_AT,
  DAY_TITLES,
  type DayReport,
  dayReportCells,
  dayReportJson,
  dayReportText,
} from '../../../src/reconcile/outputs/day-report.ts';
import { DayTables } from '../../../src/web/pages/report.tsx';
import { draw, wordsOf } from '../../web/support/page-words.ts';
import { type ErrorCode, ERRORS, type FaultCode } from '../../../schemas/errors.ts';
import { COMPLETENESS, type Completeness } from '../../../schemas/lifecycle.ts';
import { faultCells, type Notice, noticeHead } from '../../../src/reconcile/outputs/acknowledgement.ts';

const DAY: DayReport = {
  day: '2026-11-20',
  account: 'main',
  timeZone: 'America/New_York',
  isOver: true,
  broughtForward: { rows: 1, cents: 100 },
  accepted: { files: 1, rows: 4, cents: 400 },
  final: { not_sent: { rows: 1, cents: 50 }, approved: { rows: 2, cents: 250 } },
  open: { rows: 2, cents: 200 },
  openBatches: [
    {
      fileId: '2anp3p7jwetvmz4z',
      batchNo: 2,
      name: 'monday.csv',
      acceptedAt: '2026-11-20 09:00:00 -05:00',
      rows: 2,
      cents: 200,
      stateNow: 'unknown',
    },
  ],
  changes: [{ before: 'unknown', after: 'approved', rows: 1, cents: 75 }],
};

describe('dayReportText', () => {
  it('is the equation, what changed late, and each open batch', () => {
    expect(dayReportText([DAY])).toBe(
      [
        'Account main, 2026-11-20 (America/New_York)',
        '',
        '                                  Rows               Total',
        'Brought forward, open                1                1.00',
        'Accepted, 1 file                     4                4.00',
        '- APPROVED                           2                2.50  charged or refunded',
        '- NOT_SENT                           1                0.50  never sent',
        '- Still open                         2                2.00',
        'Difference                           0                0.00',
        '',
        'Changed after they were final',
        'UNKNOWN -> APPROVED                  1                0.75',
        '',
        'Open at the end of the day',
        '2anp3p7jwetvmz4z/2  monday.csv, 2 rows, 2.00, accepted 2026-11-20 09:00:00 -05:00, now unknown',
        '',
      ].join('\n'),
    );
  });

  it('says that nothing is open, that a day is not over, and how many rows are not listed', () => {
    const closed = { ...DAY, isOver: false, open: { rows: 0, cents: 0 }, openBatches: [], changes: [] };
    expect(dayReportText([closed])).toContain('(America/New_York), not over yet\n');
    expect(dayReportText([closed])).toMatch(/Difference +2 +2\.00\n\nNothing is open\.\n$/);
    expect(dayReportText([{ ...DAY, open: { rows: 9, cents: 900 } }])).toContain('and 7 rows in later batches');
  });
});

describe('rows that were withheld', () => {
  const withheld = { rows: 3, cents: 2_500, unreadable: 1 };

  it('stand in every form of the report, and nowhere when there are none', () => {
    expect(dayReportText([{ ...DAY, withheld }])).toContain(
      '3 rows were withheld and not paid: 25.00, 1 amount unreadable.',
    );
    expect(dayReportJson([{ ...DAY, withheld }])).toMatchObject([
      { withheld: { rows: 3, total: '25.00', unreadableAmounts: 1 } },
    ]);
    expect(dayReportCells({ ...DAY, withheld })).toContainEqual([DAY.day, DAY.account, 'WITHHELD', '', '3', '25.00']);
    const none = { ...DAY, withheld: { rows: 0, cents: 0, unreadable: 0 } };
    expect(dayReportText([none])).toBe(dayReportText([DAY]));
    expect(dayReportCells(none)).toEqual(dayReportCells(DAY));
  });
});

describe('what a day report says besides its figures', () => {
  const more: DayReport = {
    ...DAY,
    isOver: false,
    period: { from: '2026-11-19 17:00:00 -05:00', until: '2026-11-20 17:00:00 -05:00' },
    open: { rows: 9, cents: 900 },
    withheld: { rows: 3, cents: 2_500, unreadable: 1 },
    paidTwice: [{ row: 'aaaa/1 line 2', other: 'bbbb/3 line 4', cents: 1_250 }],
    missingFiles: [{ folder: 'drop/dues', day: '2026-11-20', by: '09:00' }],
  };

  it('is in every form', () => {
    const text = dayReportText([more]);
    for (const said of [
      'not over yet',
      'From 2026-11-19 17:00:00 -05:00',
      'and 7 rows in later',
      '1 amount unreadable',
      'aaaa/1 line 2 and bbbb/3 line 4, 12.50',
      'drop/dues, by 09:00 on 2026-11-20',
    ])
      expect(text).toContain(said);
    expect(dayReportJson([more])).toMatchObject([
      {
        isOver: false,
        period: more.period,
        withheld: { unreadableAmounts: 1 },
        paidTwice: [{ row: 'aaaa/1 line 2', other: 'bbbb/3 line 4', total: '12.50' }],
        missingFiles: more.missingFiles,
      },
    ]);
    const cells = dayReportCells(more).map((line) => line.slice(2));
    for (const line of [
      ['PERIOD', '2026-11-19 17:00:00 -05:00 to 2026-11-20 17:00:00 -05:00', '0', '0.00'],
      ['NOT_OVER', 'the figures are as of now', '0', '0.00'],
      ['OPEN_LATER', 'in later batches', '7', '7.00'],
      ['UNREADABLE', 'withheld, amount unreadable', '1', '0.00'],
      ['PERHAPS_TWICE', 'aaaa/1 line 2 and bbbb/3 line 4', '1', '12.50'],
      ['MISSING_FILE', 'drop/dues, by 09:00 on 2026-11-20', '0', '0.00'],
    ])
      expect(cells).toContainEqual(line);
    const words = wordsOf(draw(DayTables, { report: more, currency: 'USD' }));
    for (const said of [
      'This day is not over yet',
      'From 2026-11-19 17:00:00 -05:00 until 2026-11-20 17:00:00 -05:00',
      'And 7 rows in later batches',
      '1 amount unreadable',
      'Perhaps paid twice',
      'aaaa/1 line 2 bbbb/3 line 4 12.50',
      'drop/dues 2026-11-20 09:00',
    ])
      expect(words).toContain(said);
  });
});

describe('dayReportJson', () => {
  it('has decimal text for money, labels for outcomes and the difference', () => {
    expect(dayReportJson([DAY])).toMatchObject([
      {
        day: '2026-11-20',
        accepted: { files: 1, rows: 4, total: '4.00' },
        final: { APPROVED: { rows: 2, total: '2.50' }, NOT_SENT: { rows: 1, total: '0.50' } },
        difference: { rows: 0, total: '0.00' },
        openBatches: [{ batchNo: 2, total: '2.00' }],
        changes: [{ before: 'UNKNOWN', after: 'APPROVED', rows: 1, total: '0.75' }],
      },
    ]);
  });
});

describe('dayReportCells', () => {
  it('is one line a figure, each as wide as the titles, amounts in their column', () => {
    const lines = dayReportCells(DAY);
    expect(lines.map((cells) => cells.slice(2).join(' '))).toEqual([
      'BROUGHT_FORWARD  1 1.00',
      'ACCEPTED  4 4.00',
      'FINAL APPROVED 2 2.50',
      'FINAL NOT_SENT 1 0.50',
      'OPEN  2 2.00',
      'DIFFERENCE  0 0.00',
      'OPEN_BATCH 2anp3p7jwetvmz4z/2 2 2.00',
      'CHANGED UNKNOWN to APPROVED 1 0.75',
    ]);
    for (const cells of lines) expect(cells).toHaveLength(DAY_TITLES.length);
    expect(DAY_TITLES[DAY_AMOUNT_AT]).toBe('Total');
  });
});

const NOTICE: Notice = {
  status: 'ACCEPTED',
  code: null,
  reason: '',
  fileId: '0123456789abcdef',
  name: 'monday.csv',
  account: 'main',
  operation: 'card',
  layout: 'card',
  claimedAt: '2026-06-15 10:00:00 -04:00',
  bytes: 1234,
  sha256: 'a'.repeat(64),
  completeness: 'quiet',
  records: 10,
  valid: { rows: 8, cents: 20_050 },
  invalidRows: 2,
  batches: 1,
  largestBatch: 8,
};

const FAULT_CODES = (Object.keys(ERRORS) as ErrorCode[]).filter((code): code is FaultCode =>
  ['row', 'file'].includes(ERRORS[code].scope),
);

describe('noticeHead', () => {
  it('says the verdict and its figures, then the titles of the faults', () => {
    expect(noticeHead(NOTICE).map((cells) => cells.join(' | '))).toEqual([
      'Status | ACCEPTED',
      'Code | ',
      'Reason | ',
      'File Id | 0123456789abcdef',
      'File Name | monday.csv',
      'Account | main',
      'Operation | card',
      'Layout | card',
      'Claimed At | 2026-06-15 10:00:00 -04:00',
      'Bytes | 1234',
      `SHA-256 | ${'a'.repeat(64)}`,
      'Completeness | inferred from quiet time',
      'Rows | 10',
      'Accepted Rows | 8',
      'Accepted Total | 200.50',
      'Valid Rows | 8',
      'Valid Total | 200.50',
      'Invalid Rows | 2',
      'Batches | 1',
      'Rows In Largest Batch | 8',
      '',
      'Line | Column | Code | Effect | Reason | Value | What To Do',
    ]);
  });

  it.each(['HELD', 'REJECTED'] as const)('says that nothing was accepted of a file that is %s', (status) => {
    const head = valuesOf({ status, code: 'CONTROL_TOTALS', reason: 'it says 11 rows', layout: null });
    expect(head).toMatchObject({
      Status: status,
      Code: 'CONTROL_TOTALS',
      Reason: 'it says 11 rows',
      Layout: '',
      'Accepted Rows': '0',
      'Accepted Total': '0.00',
      'Valid Rows': '8',
      'Valid Total': '200.50',
    });
  });

  it('writes refunds as negative totals', () => {
    expect(valuesOf({ valid: { rows: 1, cents: -500 } })).toMatchObject({ 'Accepted Total': '-5.00' });
  });

  it.each(Object.entries(COMPLETENESS))('says of %s how completeness was established', (completeness, words) => {
    expect(valuesOf({ completeness: completeness as Completeness })).toMatchObject({ Completeness: words });
  });
});

describe('faultCells', () => {
  it('says where, what, what follows and what to do', () => {
    const fault = { code: 'CARD_FORMAT', line: 3, column: 'cardNumber', detail: 'a dash', value: '****-2220' } as const;
    expect(faultCells(fault)).toEqual([
      '3',
      'Credit Card #',
      'CARD_FORMAT',
      'row withheld',
      'the card number is not 12 to 19 digits: a dash',
      '****-2220',
      'Enter the digits only, no spaces or dashes.',
    ]);
  });

  it('leaves line, column and value of a whole file empty', () => {
    const cells = faultCells({ code: 'EMPTY', line: 0 });
    expect(cells.slice(0, 6)).toEqual(['', '', 'EMPTY', 'file refused', 'the file has no bytes', '']);
  });

  it.each(FAULT_CODES)('has seven cells for %s, with the words of the table', (code) => {
    const words = { row: 'row withheld', reject: 'file refused', hold: 'file held', warn: 'note' };
    const { effect, means, remedy } = ERRORS[code];
    expect(faultCells({ code, line: 7 })).toEqual(['7', '', code, words[effect], means, '', remedy]);
  });
});

function valuesOf(changed: Partial<Notice>): Record<string, string> {
  return Object.fromEntries(noticeHead({ ...NOTICE, ...changed }).filter((cells) => cells.length === 2));
}
