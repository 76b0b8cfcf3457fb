import { describe, expect, it } from 'vitest';
import { correctionJson, correctionText, type CorrectionSummary } from '../../../src/reconcile/outputs/summary.ts';

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
  it('says the same for people', () => {
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
