import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOutputs } from '../../../src/ledger/queries/read-file.ts';
import { writeResult } from '../../../workers/deliver/write-result.ts';
import { achRow, CARD, cardRow, codeRow, lines } from '../../support/payment-rows.ts';
import { fileWithOutcomes, linesOf } from '../support/delivered.ts';
import { openStepWorld, type StepWorld } from '../support/step-world.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await openStepWorld({ accounts: 8, settings: { batch: { maxRows: 50 } } });
});
afterAll(() => world.close());

const OUTCOME_TITLES = 'Outcome,Code,Message,Authorization,Batch Id,Sent At,Result At,Attempt';

describe('writeResult', () => {
  it.each([
    ['card', cardRow, 'Date,Invoice #,First Name', 'OK: 678594:'],
    ['ach-charge', achRow, 'Invoice #,First Name', 'Received'],
    ['ach-charge', codeRow, 'Invoice #,Customer Code', 'Received'],
  ] as const)('for a file of %s begins with the titles of its columns', async (operation, row, titles, message) => {
    const file = await fileWithOutcomes(world, operation, lines([row(1)]), () => message);
    const [head, first, ...rest] = await linesOf(await writeResult(world.app, file));
    expect(head?.startsWith('Line,')).toBe(true);
    for (const title of titles.split(',')) expect(head).toContain(title);
    expect(head?.endsWith(OUTCOME_TITLES)).toBe(true);
    expect(first?.split(',')).toHaveLength(head!.split(',').length);
    expect(rest).toEqual([]);
  });

  it('has one line per row, in the order of the file, its own cells first and then what became of it', async () => {
    const rows = [cardRow(3), cardRow(1, { amount: '7.50' }), cardRow(2)];
    const file = await fileWithOutcomes(world, 'card', lines(rows), (row) =>
      row === 2 ? 'REJECT: 15' : 'OK: 678594:X',
    );
    const [, ...table] = await linesOf(await writeResult(world.app, file));
    expect(table.map((line) => line.split(',').slice(0, 13))).toEqual(
      rows.map((row, index) => [String(index + 1), ...row.replace(CARD, '************2220').split(',')]),
    );
    expect(table.map((line) => line.split(',').slice(13, 17))).toEqual([
      ['APPROVED', '', 'OK: 678594:X', '678594'],
      ['DECLINED', '15', 'REJECT: 15', ''],
      ['APPROVED', '', 'OK: 678594:X', '678594'],
    ]);
  });

  it('disarms formulas, and leaves amounts as numbers', async () => {
    const content = lines([achRow(1, { amount: '-5.00 ', comment: '=HYPERLINK("x")'.replaceAll('"', '') })]);
    const file = await fileWithOutcomes(world, 'ach-refund', content, () => '@Received');
    const [, line = ''] = await linesOf(await writeResult(world.app, file));
    expect(line).toContain(",-5.00,'=HYPERLINK(x),UNKNOWN,,'@Received,");
  });

  it('is noted with its rows, and written once however often it is asked for', async () => {
    const file = await fileWithOutcomes(world, 'card', lines([cardRow(1), cardRow(2)]), () => 'OK: 678594:');
    const paths = await Promise.all([writeResult(world.app, file), writeResult(world.app, file)]);
    expect(paths[0]).toBe(paths[1]);
    const outputs = await readOutputs(world.app.ledger, file.file_id);
    expect(outputs.map(({ kind, rows }) => ({ kind, rows }))).toEqual([{ kind: 'result', rows: 2 }]);
  });
});
