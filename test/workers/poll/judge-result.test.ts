import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { judgePlain, judgeResult, readResult } from '../../../workers/poll/judge-result.ts';
import { sentRow, sentTextOf, unpackOutcomes } from '../../reconcile/support/result-rows.ts';

const SENT = [1, 2].map((n) => sentRow('ach-code', { line: n, invoice: `A-${n}`, amountCents: 100 }));
const BATCH = { operation: 'ach-charge', rows: 2, cents: 200 } as const;
const file = (...rows: string[]) => Buffer.from(rows.map((row) => `${row}\r\n`).join(''));
const GOOD = file('A-1,A10000001,1.00,x,Received', 'A-2,A10000001,1.00,x,REJECT: 15');

describe('judgeResult', () => {
  it('has an outcome for each row of a result that fits', () => {
    expect(judgeResult(BATCH, 'ach-code', SENT, GOOD)).toMatchObject({
      kind: 'fits',
      rows: [
        { line: 1, outcome: 'accepted_pending' },
        { line: 2, outcome: 'declined', code: 15 },
      ],
      totals: { accepted_pending: { rows: 1, cents: 100 }, declined: { rows: 1, cents: 100 } },
      reordered: false,
    });
  });

  it.each([
    ['a row is missing', file('A-1,A10000001,1.00,x,Received'), '1 result row for 2 sent rows, 1 of them differs'],
    ['it is empty', Buffer.alloc(0), '0 result rows for 2 sent rows, 2 of them differ'],
    ['it is in base64 still', Buffer.from(GOOD.toString('base64')), '1 result row for 2 sent rows, 2 of them differ'],
    ['it is in UTF-16', Buffer.from(`\ufeff${GOOD.toString()}`, 'utf16le'), ''],
    ['it is compressed', gzipSync(GOOD), ''],
    ['half a character stands in it', Buffer.from(GOOD.toString().replace('x', '\ud800'), 'utf16le'), ''],
    ['it is not text at all', Buffer.from('\u0000\u0001\u0002'.repeat(40)), ''],
    ['it is a page', file('<html>', '<body>Service Unavailable</body>', '</html>'), ''],
    ['it is endless', file(...Array.from({ length: 500 }, () => 'x,y')), '12 result rows for 2 sent rows'],
  ])('does not fit when %s', (_what, bytes, reason) => {
    expect(judgeResult(BATCH, 'ach-code', SENT, bytes)).toMatchObject({
      kind: 'misfit',
      reason: expect.stringContaining(reason),
    });
  });

  it.each([
    { ...BATCH, rows: 3 },
    { ...BATCH, cents: 201 },
  ])('does not fit when rows and cents are not those of the batch: %j', (batch) => {
    expect(judgeResult(batch, 'ach-code', SENT, GOOD)).toMatchObject({
      kind: 'misfit',
      reason: 'counts and cents do not add up',
    });
  });
});

describe('judgePlain', () => {
  it('says of a plain result that fits what judgeResult says', () => {
    const plain = judgePlain(BATCH, 'ach-code', sentTextOf(SENT), GOOD)!;
    const packed = { ...plain, rows: unpackOutcomes(plain.rows) };
    expect(packed).toEqual(judgeResult(BATCH, 'ach-code', SENT, GOOD));
  });

  it.each([
    ['rows in another order', BATCH, file('A-2,A10000001,1.00,x,Received', 'A-1,A10000001,1.00,x,Received')],
    ['a row missing', BATCH, file('A-1,A10000001,1.00,x,Received')],
    ['other rows than the batch has', { ...BATCH, rows: 3 }, GOOD],
    ['other money than the batch has', { ...BATCH, cents: 201 }, GOOD],
  ])('has no opinion of a result with %s', (_what, batch, bytes) => {
    expect(judgePlain(batch, 'ach-code', sentTextOf(SENT), bytes)).toBeUndefined();
  });
});

describe('readResult', () => {
  it('reads some more rows than were sent, and not all of an endless file', () => {
    expect(readResult(file(...Array.from({ length: 500 }, () => 'x,y')), 'ach-code', 2)).toHaveLength(12);
  });
});
