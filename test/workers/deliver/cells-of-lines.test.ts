import { describe, expect, it } from 'vitest';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { codeRow, lines, upTo } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { takeIn } from '../support/take-in.ts';
import { cellsOfLines } from '../../../workers/deliver/write-result-correction.ts';

const world = stepWorld();

describe('cellsOfLines', () => {
  it('reads the cells of the lines asked for, by their physical line', async () => {
    const content = `Invoice #,Customer Code,Amount,Comment\n\n${lines(upTo(5).map((n) => codeRow(n)))}`;
    const fileId = await takeIn(world.app, `drop/${world.freshAccount()}/ach-charge`, content);
    const file = await readFileRow(world.app.ledger, fileId);
    expect([...(await cellsOfLines(world.app, file, [5, 3]))]).toEqual([
      [3, ['K-1', 'A10000001', '25.00', 'June dues']],
      [5, ['K-3', 'A10000003', '25.00', 'June dues']],
    ]);
    expect([...(await cellsOfLines(world.app, file, [99]))]).toEqual([]);
    expect([...(await cellsOfLines(world.app, file, []))]).toEqual([]);
  });
});
