import { describe, expect, it } from 'vitest';
import { judgePlain, judgeResult, readResult } from '../../../workers/poll/judge-result.ts';
import { sentRow, sentTextOf, unpackOutcomes } from '../../reconcile/support/result-rows.ts';
import { codeRow, lines, upTo } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { findOwner } from '../../../workers/poll/poll.ts';

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

const world = stepWorld({ settings: { batch: { maxRows: 3 } } });

const bankResult = (from: number) =>
  upTo(3).map(
    (n) => `A-${from - 1 + n},Ada,Byron,CHECKING,0*********************${ending(from - 1 + n)},25.00,x,Received`,
  );
const ending = (n: number) => String(n).padStart(4, '0');
const bytesOf = (rows: readonly string[]) => Buffer.from(rows.map((row) => `${row}\r\n`).join(''));

describe('findOwner', () => {
  it('finds the batch of the account whose rows these are, whatever its layout', async () => {
    const account = world.freshAccount();
    const mine = await world.takeInCharges(account, 3, 101);
    const other = await world.takeInCharges(account, 6, 1);
    const codes = await world.takeIn(`drop/${account}/ach-charge`, lines(upTo(3).map((n) => codeRow(n))), 'codes.csv');
    const batch = await world.batch({ fileId: mine, batchNo: 1 });
    const find = (rows: readonly string[]) => findOwner(world.app, batch, bytesOf(rows));
    expect(await find(bankResult(4))).toEqual({ fileId: other, batchNo: 2, name: 'june-1.csv' });
    expect(await find(upTo(3).map((n) => `K-${n},A${10_000_000 + n},25.00,x,Received`))).toMatchObject({
      fileId: codes,
    });
    expect(await find(bankResult(4).slice(1))).toBeUndefined();
    expect(await find(bankResult(900))).toBeUndefined();
    expect(await find(bankResult(101))).toBeUndefined();
    expect(await find([])).toBeUndefined();
  });

  it('does not look at other accounts', async () => {
    await world.takeInCharges(world.freshAccount(), 3, 201);
    const mine = await world.takeInCharges(world.freshAccount(), 3, 301);
    const batch = await world.batch({ fileId: mine, batchNo: 1 });
    expect(await findOwner(world.app, batch, bytesOf(bankResult(201)))).toBeUndefined();
  });
});
