import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SentOutcome } from '../../schemas/lifecycle.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../schemas/operations.ts';
import type { RowResult, SentRow } from '../../src/rows/rows.ts';
import { reconcileRows, sumTotals } from '../../src/reconcile/read-outcome.ts';

const OPERATIONS = Object.keys(FOLDER_OPERATIONS) as FolderOperation[];
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
