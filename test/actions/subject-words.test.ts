import { describe, expect, it } from 'vitest';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { batchFacts, fileFacts, shortHash, sumWords } from '../../src/actions/subject-words.ts';

const AT = new Date('2026-06-15T10:00:00Z');
const accounts = new Map([['main', { currency: 'USD', timeZone: 'America/Toronto' }]]);
const context = { settings: { accounts } } as never;
const file = {
  file_id: 'abc',
  name: 'june.csv',
  account: 'main',
  operation: 'card',
  state: 'in_progress',
  valid_rows: 1_234,
  valid_cents: 5_000_000,
  invalid_rows: 0,
  claimed_at: AT,
  sha256: 'abcdef0123456789',
} as FileRow;
const batch = {
  file_id: 'abc',
  batch_no: 2,
  account: 'main',
  state: 'result_in',
  attempt: 1,
  batch_id: null,
  rows: 2,
  cents: 5_000,
  state_at: AT,
  body_sha256: 'abcdef0123456789',
} as BatchRow;

describe('sumWords', () => {
  it.each([
    ['main', 1, 5, '1 row, 0.05 USD'],
    ['main', 12_345, 123_456_789, '12,345 rows, 1,234,567.89 USD'],
    ['gone', 2, 5_000, '2 rows, 50.00'],
  ])('of account %s, %i rows and %i cents is %s', (account, rows, cents, words) => {
    expect(sumWords(context, account, rows, cents)).toBe(words);
  });
});

describe('fileFacts and batchFacts', () => {
  it('hold what a person compares, and no more of a hash than he can', () => {
    const facts = Object.fromEntries(fileFacts(context, file));
    expect(facts).toMatchObject({
      State: 'in progress',
      Rows: '1,234',
      Total: { cents: 5_000_000, currency: 'USD' },
      Claimed: { at: AT, timeZone: 'America/Toronto' },
      'Invalid rows, withheld': '',
      'SHA-256': 'abcdef012345…',
    });
    expect(Object.fromEntries(batchFacts(context, file, batch))).toMatchObject({
      Batch: '2',
      State: 'result in',
      Rows: '2',
    });
    expect(shortHash('abcdef0123456789')).toBe('abcdef012345…');
  });
});
