import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../../schemas/lifecycle.ts';
import {
  correctionJson,
  type CorrectionSummary,
  correctionText,
  nameOfChange,
  outcomeLines,
  shownChange,
  shownTotals,
  type Summary,
  summaryJson,
  summaryText,
} from '../../../src/reconcile/outputs/summary.ts';

describe('summary', () => {
  const SUMMARY: Summary = {
    file: {
      fileId: '0123456789abcdef',
      name: 'monday.csv',
      account: 'main',
      operation: 'ach-refund',
      layout: 'bank account, with customer codes',
      sha256: 'a'.repeat(64),
      bytes: 1234,
      completeness: 'marker',
      claimedAt: '2026-06-15 10:00:00 -04:00',
    },
    controlTotals: [
      { id: 'H0', holds: true, says: 'no control file; completeness was inferred' },
      { id: 'H2', holds: false, says: '12 lines = 1 header + 10 rows' },
    ],
    outcomes: {
      invalid: { rows: 2, cents: 0 },
      unknown: { rows: 1, cents: -5 },
      accepted_pending: { rows: 1_234, cents: -1_234_567 },
    },
    batches: [
      {
        batchNo: 1,
        batchId: '4471',
        state: 'reconciled',
        attempt: 1,
        rows: 500,
        cents: -50_000,
        sentAt: '2026-06-15 10:00:05 -04:00',
        resultAt: '2026-06-15 10:00:30 -04:00',
      },
      { batchNo: 2, batchId: null, state: 'cancelled', attempt: 1, rows: 1, cents: -5, sentAt: '', resultAt: '' },
    ],
    outputs: [{ kind: 'result', name: 'monday__01234567.result.csv', sha256: 'b'.repeat(64), rows: 1_237 }],
    openItems: ['1 row may or may not have been charged'],
  };

  /** The same outcomes in another order, as a database may return them. */
  const SHUFFLED: Summary = {
    ...SUMMARY,
    outcomes: Object.fromEntries(Object.entries(SUMMARY.outcomes).toReversed()),
  };

  describe('summaryJson', () => {
    it('says everything, amounts as decimal text and outcomes by their labels', () => {
      expect(JSON.parse(summaryJson(SUMMARY))).toEqual({
        ...SUMMARY,
        outcomes: {
          ACCEPTED_PENDING: { rows: 1_234, total: '-12345.67' },
          UNKNOWN: { rows: 1, total: '-0.05' },
          INVALID: { rows: 2, total: '0.00' },
        },
        batches: [
          {
            batchNo: 1,
            batchId: '4471',
            state: 'reconciled',
            attempt: 1,
            rows: 500,
            sentAt: '2026-06-15 10:00:05 -04:00',
            resultAt: '2026-06-15 10:00:30 -04:00',
            total: '-500.00',
          },
          {
            batchNo: 2,
            batchId: null,
            state: 'cancelled',
            attempt: 1,
            rows: 1,
            sentAt: '',
            resultAt: '',
            total: '-0.05',
          },
        ],
      });
    });

    it('ends with a line end and is the same text each time', () => {
      expect(summaryJson(SUMMARY)).toMatch(/^\{\n {2}"file": \{\n[^]*\n\}\n$/);
      expect(summaryJson(SHUFFLED)).toBe(summaryJson(SUMMARY));
    });

    it('has no amount that is a number', () => {
      expect(summaryJson(SUMMARY)).not.toMatch(/"(?:cents|total)": -?\d/);
    });
  });

  describe('summaryText', () => {
    it('reads well', () => {
      expect(summaryText(SUMMARY)).toBe(`monday.csv
File 0123456789abcdef, account main, ach-refund, taken 2026-06-15 10:00:00 -04:00

Outcome             Rows             Total  It means
ACCEPTED_PENDING    1234         -12345.67  passed to the bank, not paid yet
UNKNOWN                1             -0.05  may or may not have been charged; ask the service
INVALID                2              0.00  withheld because it has faults

Control totals
ok  H0  no control file; completeness was inferred
NO  H2  12 lines = 1 header + 10 rows

Batches
   1  4471  reconciled, 500 rows, -500.00
   2  -  cancelled, 1 row, -0.05

Files
monday__01234567.result.csv  1237 rows  ${'b'.repeat(64)}

Open items
1 row may or may not have been charged
`);
    });

    it('says when nothing is open', () => {
      expect(summaryText({ ...SUMMARY, openItems: [] })).toMatch(/\n\nNothing is open\.\n$/);
    });

    it('is the same text each time', () => {
      expect(summaryText(SHUFFLED)).toBe(summaryText(SUMMARY));
    });

    it('keeps the columns straight for every outcome and a large total', () => {
      const total = { rows: 9_999_999, cents: Number.MAX_SAFE_INTEGER };
      const outcomes = Object.fromEntries(Object.keys(OUTCOMES).map((outcome) => [outcome, total]));
      const lines = summaryText({ ...SUMMARY, outcomes })
        .split('\n')
        .slice(3, 4 + Object.keys(OUTCOMES).length);
      expect(lines[0]).toMatch(/^.{37}Total {2}It means$/);
      for (const line of lines.slice(1))
        expect(line).toMatch(/^(?=.{42} {2}\S)[A-Z_]+ +9999999 +90071992547409\.91 {2}[a-z]/);
    });
  });
});

describe('correction', () => {
  const SUMMARY: CorrectionSummary = {
    file: { fileId: '2anp3p7jwetvmz4z', name: 'monday.csv', account: 'main', operation: 'card' },
    correctionNo: 2,
    changedAt: '2026-06-16 10:00:00 -04:00',
    evidence: 'batch 1000003 asked for again',
    changes: [
      { before: 'unknown', after: 'approved', rows: 2, cents: 5_000 },
      { before: 'approved', after: 'declined', rows: 1, cents: -250 },
    ],
    outcomes: { declined: { rows: 1, cents: -250 }, approved: { rows: 9, cents: 22_500 } },
    controlTotals: [
      { id: 'H7', holds: true, says: 'outcomes = batches' },
      { id: 'H8', holds: false, says: 'read back' },
    ],
  };

  describe('correctionJson', () => {
    it('has decimal text for money and labels for outcomes, in the order of the table', () => {
      const json = JSON.parse(correctionJson(SUMMARY));
      expect(json).toMatchObject({
        file: SUMMARY.file,
        correctionNo: 2,
        changes: [
          { before: 'UNKNOWN', after: 'APPROVED', rows: 2, total: '50.00' },
          { before: 'APPROVED', after: 'DECLINED', rows: 1, total: '-2.50' },
        ],
      });
      expect(Object.entries(json.outcomes)).toEqual([
        ['APPROVED', { rows: 9, total: '225.00' }],
        ['DECLINED', { rows: 1, total: '-2.50' }],
      ]);
    });
  });

  describe('correctionText', () => {
    it('says the same as text', () => {
      expect(correctionText(SUMMARY)).toBe(
        [
          'monday.csv, correction 2',
          'File 2anp3p7jwetvmz4z, account main, card, changed 2026-06-16 10:00:00 -04:00',
          'batch 1000003 asked for again',
          '',
          'Change                                Rows             Total',
          'UNKNOWN -> APPROVED                      2             50.00',
          'APPROVED -> DECLINED                     1             -2.50',
          '',
          'Outcomes of the file after it         Rows             Total',
          'APPROVED                                 9            225.00',
          'DECLINED                                 1             -2.50',
          '',
          'Control totals',
          'ok  H7  outcomes = batches',
          'NO  H8  read back',
          '',
        ].join('\n'),
      );
    });
  });
});

it('outcomeLines and the names of changes are those of the table, in its order', () => {
  const [one, two] = [
    { rows: 1, cents: 150 },
    { rows: 2, cents: 0 },
  ];
  expect(outcomeLines({ declined: two, approved: one })).toEqual([
    ['approved', one],
    ['declined', two],
  ]);
  const change = { before: 'unknown', after: 'approved', ...one };
  expect(shownChange(change)).toEqual({ before: 'UNKNOWN', after: 'APPROVED', ...shownTotals(one) });
  expect(shownTotals(one)).toEqual({ rows: 1, total: '1.50' });
  expect([nameOfChange(change), nameOfChange(change, 'to')]).toEqual(['UNKNOWN -> APPROVED', 'UNKNOWN to APPROVED']);
});
