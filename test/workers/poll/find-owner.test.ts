import { describe, expect, it } from 'vitest';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { codeRow, lines, upTo } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { takeIn, takeInCharges } from '../support/take-in.ts';
import { findOwner } from '../../../workers/poll/poll.ts';

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
    const mine = await takeInCharges(world.app, account, 3, 101);
    const other = await takeInCharges(world.app, account, 6, 1);
    const codes = await takeIn(
      world.app,
      `drop/${account}/ach-charge`,
      lines(upTo(3).map((n) => codeRow(n))),
      'codes.csv',
    );
    const batch = await readBatchRow(world.app.ledger, { fileId: mine, batchNo: 1 });
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
    await takeInCharges(world.app, world.freshAccount(), 3, 201);
    const mine = await takeInCharges(world.app, world.freshAccount(), 3, 301);
    const batch = await readBatchRow(world.app.ledger, { fileId: mine, batchNo: 1 });
    expect(await findOwner(world.app, batch, bytesOf(bankResult(201)))).toBeUndefined();
  });
});
