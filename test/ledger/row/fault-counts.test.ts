import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyFaults } from '../../../src/ledger/row/copy-rows.ts';
import { readFaultCounts } from '../../../src/ledger/row/fault-counts.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

it('readFaultCounts has each code once with its rows, with the particulars of its first, in the order of finding', async () => {
  const file = await world.claimed();
  const beside = await world.claimed();
  await transact(world.ledger, async (tx) => {
    await copyFaults(tx, beside.file_no, 1, [{ code: 'CONTROL_TOTALS', line: 0 }]);
    await copyFaults(tx, file.file_no, 1, [
      { code: 'DUPLICATE_ROW', line: 4, detail: 'the first stands on line 2' },
      { code: 'SAME_ROWS', line: 0 },
      { code: 'DUPLICATE_ROW', line: 7, detail: 'the first stands on line 3' },
      { code: 'DUPLICATE_ROW', line: 7, detail: 'another cell of the same row' },
    ]);
  });
  expect(await readFaultCounts(world.ledger, file.file_no)).toEqual([
    { code: 'DUPLICATE_ROW', count: 2, line: 4, detail: 'the first stands on line 2' },
    { code: 'SAME_ROWS', count: 1, line: 0, detail: null },
  ]);
  expect(await readFaultCounts(world.ledger, (await world.claimed()).file_no)).toEqual([]);
});
