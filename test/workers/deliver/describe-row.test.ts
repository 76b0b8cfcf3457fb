import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { KeptRow } from '../../../src/ledger/row/read-kept-rows.ts';
import type { BatchRow, FileRow } from '../../../src/ledger/engine/records.ts';
import { rowDescriber } from '../../../workers/deliver/finished-pages.ts';

const APP = { account: () => ({ timeZone: 'America/New_York' }) } as unknown as App;
const SENT = {
  batch_no: 1,
  batch_id: '4471',
  attempt: 2,
  submitted_at: new Date('2026-06-15T14:00:00Z'),
  result_at: new Date('2026-06-15T14:00:30Z'),
} as BatchRow;
const UNSENT = { batch_no: 2, batch_id: null, attempt: 1, submitted_at: null, result_at: null } as BatchRow;

const describeRow = rowDescriber(APP, { account: 'main' } as FileRow, [SENT, UNSENT]);

function kept(row: Partial<KeptRow>): KeptRow {
  return { line: 3, batch_no: 1, outcome: null, code: null, message: null, authorization: null, ...row };
}

describe('rowDescriber', () => {
  it('says what became of a row that was sent, times in the zone of the account', () => {
    const row = kept({ outcome: 'declined', code: 15, message: 'REJECT: 15', authorization: '' });
    expect(describeRow(row, [])).toEqual({
      line: 3,
      outcome: 'declined',
      code: 15,
      message: 'REJECT: 15',
      authorization: '',
      batchId: '4471',
      sentAt: expect.stringContaining('2026-06-15 10:00:00'),
      resultAt: expect.stringContaining('2026-06-15 10:00:30'),
      attempt: 2,
    });
  });

  it('says so when a row was never sent', () => {
    expect(describeRow(kept({ batch_no: 2 }), [])).toMatchObject({
      outcome: 'not_sent',
      message: 'never sent',
      batchId: '',
      sentAt: '',
      attempt: null,
    });
  });

  it('says why a row was withheld, leaving out notes', () => {
    const faults = [
      { line: 3, code: 'AMOUNT_FORMAT' },
      { line: 3, code: 'TEXT_REPLACED' },
      { line: 3, code: 'AMOUNT_ZERO' },
    ] as const;
    expect(describeRow(kept({ batch_no: null }), faults)).toMatchObject({
      outcome: 'invalid',
      message: expect.stringMatching(/^AMOUNT_FORMAT: [^;]+; AMOUNT_ZERO: [^;]+$/),
      attempt: null,
    });
  });

  it.each([
    ['Received\u2028 by \ufffd bank', 'Received  by   bank'],
    ['of 4222222222222220', 'of ************2220'],
  ])('shows no message that could not be read back, and no number: %j', (message, shown) => {
    expect(describeRow(kept({ outcome: 'unknown', message }), []).message).toBe(shown);
  });
});
