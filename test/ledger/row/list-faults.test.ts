import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyFaults } from '../../../src/ledger/row/copy-rows.ts';
import { listFaults } from '../../../src/ledger/row/fault-counts.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

it('listFaults pages in the order of finding, of this file alone', async () => {
  const [file, beside] = [await world.claimed(), await world.claimed()];
  await transact(world.ledger, async (tx) => {
    await copyFaults(tx, beside.file_no, 1, [{ code: 'NO_ROWS', line: 0 }]);
    await copyFaults(tx, file.file_no, 1, [
      { code: 'AMOUNT_FORMAT', line: 4, column: 'amount', value: '25,0', detail: 'a comma' },
      { code: 'SAME_ROWS', line: 0 },
      { code: 'EXPIRY_PAST', line: 7 },
    ]);
  });
  const first = { seq: 1, line: 4, column: 'amount', code: 'AMOUNT_FORMAT', detail: 'a comma', value: '25,0' };
  expect(await listFaults(world.ledger, file.file_no, { from: 0, limit: 1 })).toEqual([first]);
  const rest = await listFaults(world.ledger, file.file_no, { from: 2, limit: 5 });
  expect(rest.map(({ seq, code, column }) => [seq, code, column])).toEqual([
    [2, 'SAME_ROWS', null],
    [3, 'EXPIRY_PAST', null],
  ]);
});
