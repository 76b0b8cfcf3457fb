import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SentOutcome } from '../../schemas/lifecycle.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../schemas/operations.ts';
import { REJECTIONS } from '../../schemas/rejections.ts';
import { readOutcome, reconcileRows, sumTotals } from '../../src/reconcile/read-outcome.ts';
import type { RowResult, SentRow } from '../../src/rows/rows.ts';

const OPERATIONS = Object.keys(FOLDER_OPERATIONS) as FolderOperation[];
const ACH = ['ach-charge', 'ach-refund'] as const;

type Case = [message: string, outcome: SentOutcome, code?: number | null, authorization?: string];

/** What each message means for a card row and a bank row. */
const CARD_ONLY: Case[] = [
  ['OK', 'approved'],
  ['OK: 678594', 'approved', null, '678594'],
  ['OK: 678594:', 'approved', null, '678594'],
  ['OK:678594:', 'approved', null, '678594'],
  ['OK: 678594:X', 'approved', null, '678594'],
  ['OK: 678594:y', 'approved', null, '678594'],
  ['OK: 678594:N', 'approved', null, '678594'],
  ['OK: 02345Z:', 'approved', null, '02345Z'],
  ['OK: A23456:Y', 'approved', null, 'A23456'],
];
const ACH_ONLY: Case[] = [
  ['Received', 'accepted_pending'],
  ['Received.', 'accepted_pending'],
  ['Received by the bank', 'accepted_pending'],
];
const EVERYWHERE: Case[] = [
  ['REJECT: 15', 'declined', 15],
  ['REJECT:15', 'declined', 15],
  ['REJECT:  3', 'declined', 3],
  ['REJECT: 0015', 'declined', 15],
  ['REJECT: 100', 'declined', 100],
  ['REJECT: 55', 'unknown', 55],
  ['REJECT: 13', 'unknown', 13],
  ['REJECT: 0', 'unknown', 0],
  ['REJECT: 9999', 'unknown', 9999],
  ['Wrong Format', 'format_error'],
  ['Wrong Format: 2 columns', 'format_error'],
  ['Duplicated', 'duplicate'],
  ['Duplicated row', 'duplicate'],
];
const NOWHERE = [
  '',
  ' ',
  'TIMEOUT',
  'Timeout',
  'REJECT: TIMEOUT',
  'REJ:TIMEOUT',
  'REJ: 15',
  'REJ:15',
  'OKAY',
  'OK:',
  'OK: ',
  'OK: :',
  'OK 678594',
  'OK; 678594:',
  'OK: 678594:XY',
  'OK: 678594:X:',
  'OK: 678594: X',
  'OK: 678594:1',
  'OK: 678594: REJECT: 15',
  'OK:Reject',
  'OK:BankAccept',
  'OK: REJECT:',
  'OK: 02345Z',
  'OK: 02345z:',
  'OK: 12345678901:',
  'OK: 4222222222222220:',
  'NOT OK',
  'ok',
  'Ok: 678594:',
  'received',
  'RECEIVED',
  'Receivedly',
  'Not Received',
  'reject: 15',
  'Reject: 15',
  'REJECT',
  'REJECT:',
  'REJECT: ',
  'REJECT 15',
  'REJECT: -15',
  'REJECT: 15.0',
  'REJECT: 1e1',
  'REJECT: 15 or so',
  'REJECT: 15, maybe',
  'REJECT: 99999',
  `REJECT: ${'9'.repeat(400)}`,
  'REJECT: １５',
  'wrong format',
  'WrongFormat',
  'Wrong  Format',
  'Wrong Formatting',
  'duplicated',
  'Duplicate',
  'Success',
  'Error: Invalid Batch ID.',
  'constructor',
  '4222222222222220',
];

const cases: [FolderOperation, Case][] = [
  ...CARD_ONLY.flatMap(([message, ...rest]): [FolderOperation, Case][] => [
    ['card', [message, ...rest]],
    ...ACH.map((operation): [FolderOperation, Case] => [operation, [message, 'unknown']]),
  ]),
  ...ACH_ONLY.flatMap(([message, ...rest]): [FolderOperation, Case][] => [
    ['card', [message, 'unknown']],
    ...ACH.map((operation): [FolderOperation, Case] => [operation, [message, ...rest]]),
  ]),
  ...OPERATIONS.flatMap((operation) => EVERYWHERE.map((row): [FolderOperation, Case] => [operation, row])),
  ...OPERATIONS.flatMap((operation) => NOWHERE.map((text): [FolderOperation, Case] => [operation, [text, 'unknown']])),
];

describe('readOutcome', () => {
  it.each(cases)('of %s and %j', (operation, [message, outcome, code = null, authorization = '']) => {
    const expected = { outcome, code, authorization };
    expect(readOutcome(operation, message)).toEqual(expected);
    expect(readOutcome(operation, ` ${message}\n`)).toEqual(expected);
    expect(readOutcome(operation, `\t${message} \r\n`)).toEqual(expected);
  });

  it.each(Object.entries(REJECTIONS))('code %s is a decline, unless nobody knows what became of it', (text, row) => {
    const outcome = row.advice === 'unknown' ? 'unknown' : 'declined';
    for (const operation of OPERATIONS) {
      const expected = { outcome, code: Number(text), authorization: '' };
      expect(readOutcome(operation, `REJECT: ${text}`)).toEqual(expected);
    }
  });

  it('leaves in doubt exactly the listed codes of which the outcome is unknown', () => {
    const inDoubt = Object.keys(REJECTIONS).filter(
      (code) => readOutcome('card', `REJECT: ${code}`).outcome === 'unknown',
    );
    expect(inDoubt).toEqual(['55', '68', '69', '70']);
  });

  it('leaves in doubt every code that is not listed, and keeps it', () => {
    for (let code = 0; code <= 9_999; code += 1) {
      if (code in REJECTIONS) continue;
      expect(readOutcome('card', `REJECT: ${code}`)).toEqual({ outcome: 'unknown', code, authorization: '' });
    }
  });

  it('takes no text for an outcome that does not begin with the right word', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...OPERATIONS), (text, operation) => {
        fc.pre(!/^\s*(?:OK|Received|REJECT:|Wrong Format|Duplicated)/.test(text));
        expect(readOutcome(operation, text).outcome).toBe('unknown');
      }),
    );
  });

  it('keeps no authorization that could be a card number', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^OK:? ?[0-9A-Z]{0,20}:?[A-Z]?$/), (text) => {
        expect(readOutcome('card', text).authorization.length).toBeLessThanOrEqual(10);
      }),
    );
  });
});

describe('readOutcome of a message that may have been cut', () => {
  it.each([
    ['REJECT: 7', 'unknown', 7],
    ['REJECT: 5', 'unknown', 5],
    ['REJECT: 1', 'unknown', 1],
    ['REJECT: 10', 'unknown', 10],
    ['REJECT: 8', 'declined', 8],
    ['REJECT: 15', 'declined', 15],
    ['REJECT: 100', 'declined', 100],
    ['REJECT: 70', 'unknown', 70],
  ])('reads %s as %s', (message, outcome, code) => {
    expect(readOutcome('card', message, true)).toEqual({ outcome, code, authorization: '' });
  });

  it('never takes a longer message of another meaning for the shorter one', () => {
    for (const whole of Object.keys(REJECTIONS)) {
      for (let length = 1; length < whole.length; length += 1) {
        const cut = readOutcome('card', `REJECT: ${whole.slice(0, length)}`, true);
        const full = readOutcome('card', `REJECT: ${whole}`);
        expect(cut.outcome === 'unknown' || cut.outcome === full.outcome, whole).toBe(true);
      }
    }
  });
});

const MESSAGES = ['OK: 678594:', 'Received', 'REJECT: 15', 'REJECT: 55', 'Wrong Format', 'Duplicated', 'TIMEOUT', ''];

describe('reconcileRows', () => {
  it('gives every row its outcome, in order, and adds up rows and money per outcome', () => {
    const pairs = [
      pair(2, 2500, ' OK: 678594:X\n'),
      pair(3, 100, 'REJECT: 19'),
      pair(5, 7, 'TIMEOUT'),
      pair(6, 4000, 'OK'),
      pair(7, 900, 'REJECT: 70'),
    ];
    expect(reconcileRows('card', pairs)).toEqual({
      rows: [
        { line: 2, outcome: 'approved', code: null, message: 'OK: 678594:X', authorization: '678594' },
        { line: 3, outcome: 'declined', code: 19, message: 'REJECT: 19', authorization: '' },
        { line: 5, outcome: 'unknown', code: null, message: 'TIMEOUT', authorization: '' },
        { line: 6, outcome: 'approved', code: null, message: 'OK', authorization: '' },
        { line: 7, outcome: 'unknown', code: 70, message: 'REJECT: 70', authorization: '' },
      ],
      totals: {
        approved: { rows: 2, cents: 6500 },
        declined: { rows: 1, cents: 100 },
        unknown: { rows: 2, cents: 907 },
      },
    });
  });

  it('of nothing is nothing', () => {
    expect(reconcileRows('card', [])).toEqual({ rows: [], totals: {} });
  });

  it.each([
    ['Invalid card 4222222222222220', 'Invalid card ************2220'],
    ['Bad account 02100002100000000000000001!', 'Bad account **********************0001!'],
    ['line\u0000 and\u0007 bell', 'line  and  bell'],
    ['two\r\nlines', 'two  lines'],
    ['x'.repeat(1_000), 'x'.repeat(200)],
    [`${'x'.repeat(190)} 4222222222222220`, `${'x'.repeat(190)} *********`],
  ])('keeps of the message %j what may be kept', (message, kept) => {
    expect(reconcileRows('card', [pair(2, 1, message)]).rows[0]?.message).toBe(kept);
  });

  it('makes and loses neither rows nor money', () => {
    const row = fc.tuple(fc.integer({ min: -9_000_000_000, max: 9_000_000_000 }), fc.constantFrom(...MESSAGES));
    fc.assert(
      fc.property(fc.constantFrom(...OPERATIONS), fc.array(row), (operation, cells) => {
        const pairs = cells.map(([cents, message], index) => pair(index + 1, cents, message));
        const { rows, totals } = reconcileRows(operation, pairs);
        expect(rows.map(({ line }) => line)).toEqual(pairs.map(({ sent }) => sent.line));
        const cents = pairs.reduce((sum, { sent }) => sum + sent.amountCents, 0);
        expect(sumTotals(totals)).toEqual({ rows: pairs.length, cents });
        for (const [outcome, total] of Object.entries(totals)) {
          const own = rows.flatMap((kept, index) => (kept.outcome === outcome ? [pairs[index]!.sent.amountCents] : []));
          expect(total).toEqual({ rows: own.length, cents: own.reduce((sum, amount) => sum + amount, 0) });
        }
      }),
    );
  });
});

describe('sumTotals', () => {
  it('adds up all outcomes, also those that were never sent', () => {
    const outcomes: SentOutcome[] = [
      'approved',
      'accepted_pending',
      'declined',
      'duplicate',
      'format_error',
      'unknown',
    ];
    const totals = Object.fromEntries(
      [...outcomes, 'not_sent', 'invalid'].map((outcome, index) => [outcome, { rows: 1, cents: 10 ** index }]),
    );
    expect(sumTotals(totals)).toEqual({ rows: 8, cents: 11_111_111 });
  });

  it('of nothing is zero', () => {
    expect(sumTotals({})).toEqual({ rows: 0, cents: 0 });
  });
});

function pair(line: number, amountCents: number, message: string): { sent: SentRow; result: RowResult } {
  return {
    sent: { line, invoice: `INV-${line}`, customerCode: '', amountCents, lastFour: '2220' },
    result: { position: line, cells: [], message },
  };
}
