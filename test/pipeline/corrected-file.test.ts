import { afterEach, describe, expect, it } from 'vitest';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { fileNamed, goodRows, readNotice } from '../support/bad-input.ts';
import { achRow, CARD, cardRow, codeRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

let world: PipelineWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** Drops a file and gives back the rejects file that came of it. */
async function rejectsOf(folder: string, text: string, clearNumbers: boolean) {
  world = await openPipelineWorld({ folder: { clearNumbers }, settings: { batch: { maxRows: 7 } } });
  await world.drop(folder, 'monday.csv', text);
  await world.finish();
  const texts = Object.values(await world.outputs('rejects'));
  expect(texts).toHaveLength(1);
  return { world, text: texts[0]! };
}

describe('a rejects file', () => {
  it.each([
    {
      layout: 'card',
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
      folder: 'ach-charge',
      rows: upTo(20).map((n) =>
        achRow(n, n === 4 ? { amount: '0.00' } : n === 9 ? { comment: '"June, late"', amount: 'ten' } : {}),
      ),
      mend: (text: string) => text.replace(',0.00,', ',25.00,').replace(',ten,', ',10.00,'),
    },
    {
      layout: 'ach-code',
      folder: 'ach-refund',
      rows: upTo(20).map((n) => codeRow(n, { amount: n === 4 ? '-0.00' : '-5.00', ...(n === 9 && { code: 'A 9' }) })),
      mend: (text: string) => text.replace(',-0.00,', ',-5.00,').replace('A 9', 'A9'),
    },
  ])('of layout $layout, corrected and dropped again as it is, completes', async ({ folder, rows, mend }) => {
    const { world, text } = await rejectsOf(folder, lines(rows), true);
    expect(text.trimEnd().split('\r\n')).toHaveLength(3);
    await world.drop(folder, 'monday-corrected.csv', mend(text));
    await world.drop('card', 'beside.csv', goodRows(1));
    await world.finish();
    expect(await world.states()).toEqual({
      'monday.csv': 'completed',
      'monday-corrected.csv': 'completed',
      'beside.csv': 'completed',
    });
    const { faults } = await readNotice(world, await fileNamed(world, 'monday-corrected.csv'), 'ack');
    expect(faults.filter((fault) => fault.code !== 'TEXT_REPLACED')).toEqual([]);
    const [result = ''] = Object.entries(await world.outputs('result')).flatMap(([name, found]) =>
      name.startsWith('monday-corrected') ? [found] : [],
    );
    // The layout's own columns, and none of the reasons.
    expect(result.split('\r\n')[0]).not.toContain('Reason');
    expect(result).not.toMatch(/AMOUNT_|CARD_CHECK_DIGIT|FIELD_/);
    expect(world.sandbox.books()).toHaveLength(20 + 3);
    expect(await compareBooks(world.app, world.sandbox.books())).toEqual([]);
  });

  it('that still has a fault gives a rejects file again, one column of reasons wide', async () => {
    const rows = upTo(20).map((n) => codeRow(n, n === 4 || n === 9 ? { amount: 'ten' } : {}));
    const { world, text } = await rejectsOf('card', lines(rows), true);
    const half = `${text.replace(',ten,', ',10.00,')}${lines(
      upTo(18).map((n) => `${codeRow(100 + n)},`),
      '\r\n',
    )}`;
    await world.drop('card', 'again.csv', half);
    await world.finish();
    const [again = ''] = Object.entries(await world.outputs('rejects')).flatMap(([name, found]) =>
      name.startsWith('again') ? [found] : [],
    );
    const table = again
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    expect(table).toHaveLength(2);
    expect(table.map((cells) => cells.length)).toEqual([5, 5]);
    expect(table[1]?.[0]).toBe('K-9');
  });

  it('whose numbers are masked is told so, row by row', async () => {
    const rows = upTo(20).map((n) => cardRow(n, n === 4 ? { amount: '$25.00' } : {}));
    const { world, text } = await rejectsOf('card', lines(rows), false);
    expect(text).not.toContain(CARD);
    await world.drop('card', 'again.csv', text.replace('$25.00', '25.00'));
    await world.finish();
    const { head, faults } = await readNotice(world, await fileNamed(world, 'again.csv'), 'held');
    expect(head['Status']).toBe('HELD');
    expect(faults.map((fault) => fault.code)).toContain('CARD_FORMAT');
  });
});
