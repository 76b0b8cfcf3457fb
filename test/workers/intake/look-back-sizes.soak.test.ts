import { describe, expect, it } from 'vitest';
import { openedForTests } from '../support/step-world.ts';
import { approveFile } from '../../../src/ledger/file/release-held.ts';
import { achRow, upTo } from '../../support/payment-rows.ts';
import { openEarlierPaymentsWorld } from '../support/look-back-world.ts';

const world = openedForTests(openEarlierPaymentsWorld);

describe('the total of a day', () => {
  const cents = (n: number, amount: string) => [achRow(n, { amount })];

  it('is that of all accepted files of the account; one above it is held with the figures', async () => {
    const first = await world.take('limited', 'any', cents(31, '60.00'));
    expect(await world.verdictOf(await world.take('limited', 'off', cents(32, '40.00')))).toMatchObject({
      state: 'accepted',
    });
    const over = await world.take('limited', 'any', cents(33, '0.01'));
    expect(await world.verdictOf(over)).toMatchObject({
      state: 'held',
      code: 'LIMIT_DAY_TOTAL',
      faults: [{ detail: '0.01 and 100.00 accepted before, at most 100.00' }],
    });
    const refund = await world.take('limited', 'refund', cents(34, '-0.01'));
    expect(await world.verdictOf(refund)).toMatchObject({ code: 'LIMIT_DAY_TOTAL' });

    // Yesterday's files and held ones do not count; approved ones do.
    await world.age(first, 1);
    expect(await world.verdictOf(await world.take('limited', 'any', cents(35, '59.99')))).toMatchObject({
      state: 'accepted',
    });
    await approveFile(world.app.ledger, over, { actor: 'operator:ada', reason: 'known' });
    expect(await world.verdictOf(await world.take('limited', 'any', cents(36, '0.01')))).toMatchObject({
      code: 'LIMIT_DAY_TOTAL',
    });
    expect(await world.verdictOf(await world.take(world.freshAccount(), 'any', cents(37, '1000.00')))).toMatchObject({
      state: 'accepted',
    });
  });
});

describe('an unusual file', () => {
  let n = 1_000;
  const rowsOf = (count: number, amount = '10.00') => upTo(count).map(() => achRow((n += 1), { amount }));

  it('is one of more than three times the usual rows or total, from the fifth on', async () => {
    const account = world.freshAccount();
    for (const count of [2, 2, 2]) await world.take(account, 'usual', rowsOf(count));
    // The fourth has too few files before it, whatever its size.
    expect(await world.verdictOf(await world.take(account, 'usual', rowsOf(40)))).toMatchObject({ state: 'accepted' });

    expect(await world.verdictOf(await world.take(account, 'usual', rowsOf(7, '1.00')))).toMatchObject({
      state: 'held',
      code: 'UNUSUAL_ROWS',
      faults: [{ detail: '7 rows, more than 3 times the usual 2 (median of the last 4 files)' }],
    });
    expect(await world.verdictOf(await world.take(account, 'usual', rowsOf(1, '60.01')))).toMatchObject({
      state: 'held',
      code: 'UNUSUAL_TOTAL',
      faults: [{ detail: '60.01, more than 3 times the usual 20.00 (median of the last 4 files)' }],
    });
    expect(await world.verdictOf(await world.take(account, 'usual', rowsOf(6)))).toMatchObject({
      state: 'accepted',
      codes: [],
    });
  });

  it('is none in a folder that does not ask, nor by the files of another folder', async () => {
    const account = world.freshAccount();
    for (let count = 0; count < 4; count += 1) await world.take(account, 'any', rowsOf(1));
    expect(await world.verdictOf(await world.take(account, 'any', rowsOf(10)))).toMatchObject({
      state: 'accepted',
      codes: [],
    });
    expect(await world.verdictOf(await world.take(account, 'usual', rowsOf(10)))).toMatchObject({
      state: 'accepted',
      codes: [],
    });
  });
});
