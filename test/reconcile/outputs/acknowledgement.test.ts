import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode, type FaultCode } from '../../../schemas/errors.ts';
import { COMPLETENESS, type Completeness } from '../../../schemas/lifecycle.ts';
import { faultCells, type Notice, noticeHead } from '../../../src/reconcile/outputs/acknowledgement.ts';

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
      'Rejected Rows | 2',
      'Batches | 1',
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

  it.each([
    ['row', 'row withheld'],
    ['reject', 'file refused'],
    ['hold', 'file held'],
    ['warn', 'note'],
  ] as const)('takes the effect %s of the folder before that of the table', (effect, words) => {
    expect(faultCells({ code: 'DUPLICATE_ROW', line: 3 }, effect)[3]).toBe(words);
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
