import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { fileNamed, goodRows, readNotice } from '../support/bad-input.ts';
import { achRow, CARD, cardRow, codeRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

/** Files with two bad rows each: what is wrong with them, and how a person fixes the rejects file. */
const LAYOUTS = [
  {
    layout: 'card',
    letter: 'C',
    folder: 'card',
    rows: upTo(20).map((n) =>
      cardRow(
        n,
        n === 4 ? { amount: '$25.00' } : n === 9 ? { street: '"1, Mill Lane"', card: '4222222222222221' } : {},
      ),
    ),
    mend: (text: string) => text.replace('$25.00', '25.00').replace('4222222222222221', CARD),
  },
  {
    layout: 'ach',
    letter: 'A',
    folder: 'ach-charge',
    rows: upTo(20).map((n) =>
      achRow(n, n === 4 ? { amount: '0.00' } : n === 9 ? { comment: '"June, late"', amount: 'ten' } : {}),
    ),
    mend: (text: string) => text.replace(',0.00,', ',25.00,').replace(',ten,', ',10.00,'),
  },
  {
    layout: 'ach-code',
    letter: 'K',
    folder: 'ach-refund',
    rows: upTo(20).map((n) => codeRow(n, { amount: n === 4 ? '-0.00' : '-5.00', ...(n === 9 && { code: 'A 9' }) })),
    mend: (text: string) => text.replace(',-0.00,', ',-5.00,').replace('A 9', 'A9'),
  },
];

/** A file whose rejects are only half fixed, with rows of its own. */
const HALF = upTo(20).map((n) => codeRow(300 + n, n === 4 || n === 9 ? { amount: 'ten' } : {}));

const SETTINGS = { batch: { maxRows: 7 } };

async function outputOf(world: PipelineWorld, kind: 'rejects' | 'result', name: string): Promise<string> {
  const found = Object.entries(await world.outputs(kind)).filter(([output]) => output.startsWith(`${name}_`));
  expect(found.map(([output]) => output)).toHaveLength(1);
  return found[0]![1];
}

describe('a rejects file', () => {
  const world = openedForTests(() =>
    openPipelineWorld({ folder: { clearNumbers: true, unusualFactor: 0 }, settings: SETTINGS }),
  );
  let rejects: Map<string, string>;
  beforeAll(async () => {
    for (const { layout, folder, rows } of LAYOUTS) await world.drop(folder, `${layout}.csv`, lines(rows));
    await world.drop('card', 'half.csv', lines(HALF));
    await world.finish();
    const names = [...LAYOUTS.map(({ layout }) => layout), 'half'];
    rejects = new Map();
    for (const name of names) rejects.set(name, await outputOf(world, 'rejects', name));

    for (const { layout, folder, mend } of LAYOUTS)
      await world.drop(folder, `${layout}-corrected.csv`, mend(rejects.get(layout)!));
    const more = upTo(18).map((n) => `${codeRow(400 + n)},`);
    await world.drop(
      'card',
      'half-corrected.csv',
      `${rejects.get('half')!.replace(',ten,', ',10.00,')}${lines(more, '\r\n')}`,
    );
    await world.drop('card', 'beside.csv', goodRows(1));
    await world.finish();
  });

  it.each(LAYOUTS)('of layout $layout, corrected and dropped again as it is, completes', async ({ layout, letter }) => {
    expect(rejects.get(layout)!.trimEnd().split('\r\n')).toHaveLength(3);
    expect(await world.states()).toMatchObject({
      [`${layout}.csv`]: 'completed',
      [`${layout}-corrected.csv`]: 'completed',
      'beside.csv': 'completed',
    });
    const { faults } = await readNotice(world, await fileNamed(world, `${layout}-corrected.csv`), 'ack');
    expect(faults.filter((fault) => fault.code !== 'TEXT_REPLACED')).toEqual([]);
    const result = await outputOf(world, 'result', `${layout}-corrected`);
    // The result has the layout's own columns, without the reasons.
    expect(result.split('\r\n')[0]).not.toContain('Reason');
    expect(result).not.toMatch(/AMOUNT_|CARD_CHECK_DIGIT|FIELD_/);
    const invoices = upTo(20).map((n) => `${letter}-${n}`);
    const booked = world.sandbox.books().flatMap(({ invoice }) => (invoices.includes(invoice) ? [invoice] : []));
    expect(booked.toSorted()).toEqual(invoices.toSorted());
    expect(await compareBooks(world.app, world.sandbox.books())).toEqual([]);
  });

  it('that still has a fault gives a rejects file again, one column of reasons wide', async () => {
    const table = (await outputOf(world, 'rejects', 'half-corrected'))
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    expect(table).toHaveLength(2);
    expect(table.map((cells) => cells.length)).toEqual([5, 5]);
    expect(table[1]?.[0]).toBe('K-309');
  });
});

it('a rejects file whose numbers are masked is told so, row by row', async () => {
  const world = await openPipelineWorld({ folder: { clearNumbers: false }, settings: SETTINGS });
  onTestFinished(() => world.close());
  await world.drop('card', 'monday.csv', lines(upTo(20).map((n) => cardRow(n, n === 4 ? { amount: '$25.00' } : {}))));
  await world.finish();
  const text = await outputOf(world, 'rejects', 'monday');
  expect(text).not.toContain(CARD);
  await world.drop('card', 'again.csv', text.replace('$25.00', '25.00'));
  await world.finish();
  const { head, faults } = await readNotice(world, await fileNamed(world, 'again.csv'), 'nak');
  expect(head).toMatchObject({ Status: 'REJECTED', Code: 'NO_ROWS' });
  expect(faults.map((fault) => fault.code)).toContain('CARD_FORMAT');
});
