import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../../src/rows/rows.ts';
import { copyFaults } from '../../../src/ledger/row/copy-rows.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { faultFinder } from '../../../workers/deliver/finished-pages.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

async function fileWith(faults: readonly Fault[]): Promise<number> {
  const { file_no: fileNo } = await world.claimed();
  await transact(world.ledger, (tx) => copyFaults(tx, fileNo, 1, faults));
  return fileNo;
}

function bad(line: number, code: Fault['code'] = 'AMOUNT_ZERO'): Fault {
  return { line, code };
}

describe('faultFinder', () => {
  it('gives the faults of each page of lines, those of one line in their order', async () => {
    const faults = [bad(2), bad(2, 'AMOUNT_FORMAT'), bad(5), bad(9), bad(10), bad(11)];
    const find = faultFinder(world.ledger, await fileWith(faults));
    const found = [];
    for (const lines of [[1, 2, 3], [4, 5, 6], [7, 8], [11]]) found.push([...(await find(lines)).values()].flat());
    expect(found).toEqual([[faults[0], faults[1]], [faults[2]], [], [faults[5]]]);
  });

  it('passes over notes, over faults of the file, and over what was found later of lines that are behind', async () => {
    const faults = [
      bad(0),
      bad(2),
      bad(2, 'TEXT_REPLACED'),
      bad(0, 'MIXED_LINE_ENDS'),
      bad(8),
      bad(1, 'CHARGED_BEFORE'),
    ];
    const find = faultFinder(world.ledger, await fileWith(faults));
    expect([...(await find([2, 3])).entries()]).toEqual([[2, [faults[1]]]]);
    expect([...(await find([4, 8])).entries()]).toEqual([[8, [faults[4]]]]);
    expect((await find([9, 10])).size).toBe(0);
  });

  it('reads on through many pages of the ledger', async () => {
    const faults = Array.from({ length: 9_000 }, (_, index) => bad(index + 1));
    const find = faultFinder(world.ledger, await fileWith(faults));
    expect((await find([1, 4_500])).size).toBe(4_500);
    expect((await find([8_999, 9_000])).size).toBe(2);
  });
});
