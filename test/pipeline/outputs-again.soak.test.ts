import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { csvLines } from '../../src/csv/write/write-csv.ts';
import { freshSeed, seededRandom } from '../support/random.ts';
import { fileNamed, goodRows, readNotice } from '../support/bad-input.ts';
import { achRow, CARD, cardRow, codeRow, lines, MAGIC_CARD, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';

/**
 * Drops every output of files with odd invoices again: whole, and as people cut it, to the columns of the input and in
 * parts. Nothing that was charged is charged again.
 */

const seed = freshSeed();
const random = seededRandom(seed);
const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;

/** What a spreadsheet would run, with and without apostrophes before it, and what it would not. */
const BEGINNINGS = ['+', '-', '=', '@', "'+", "''-", "'=", "'", "''", '', ' +', "' +", '+-', '＝', "'＠"];

/** Returns an invoice that differs from all others of its file, even without punctuation. */
function oddInvoice(n: number): string {
  return `${pick(BEGINNINGS)}${pick(['M', 'A', 'x'])}${pick(['-', '', ' ', '.'])}${1_000 + n}`;
}

const ROWS = 24;
const FILES: readonly { name: LayoutName; folder: string; row: (n: number) => string }[] = [
  {
    name: 'card',
    folder: 'card',
    row: (n) =>
      cardRow(n, {
        invoice: oddInvoice(n),
        street: pick(['1 Mill Lane', '-1 Mill', "'=Mill"]),
        ...(n === 3 && { card: MAGIC_CARD, amount: '2.00' }),
        ...(n === 5 && { card: MAGIC_CARD, amount: '16.00' }),
        ...(n === 7 && { amount: '$25.00' }),
      }),
  },
  {
    name: 'card-code',
    folder: 'card',
    row: (n) => codeRow(n, { invoice: oddInvoice(200 + n), comment: pick(['+dues', "'-dues", 'dues']) }),
  },
  { name: 'ach', folder: 'ach-charge', row: (n) => achRow(n, { invoice: oddInvoice(400 + n) }) },
  {
    name: 'ach-code',
    folder: 'ach-refund',
    row: (n) => codeRow(n, { invoice: oddInvoice(600 + n), amount: n === 7 ? 'ten' : '-5.00' }),
  },
];

describe.each([
  ['numbers entered again', true],
  ['numbers masked', false],
])('outputs with %s, dropped again', (_, clearNumbers) => {
  const world = openedForTests(() =>
    openPipelineWorld({
      folder: { clearNumbers, unusualFactor: 0, sameTotals: 'off' },
      settings: { batch: { maxRows: 10 } },
    }),
  );
  /** The charged rows by layout, each as its first cell; only their number is used. */
  const charged = new Map<string, string[]>();
  const originals = new Map<LayoutName, string[]>();
  const dropped: { name: string; layout: LayoutName; rows: number }[] = [];
  let before: string[];

  beforeAll(async () => {
    for (const { name, folder, row } of FILES) {
      originals.set(name, upTo(ROWS).map(row));
      await world.drop(folder, `${name}.csv`, lines(originals.get(name)!));
    }
    await world.finish();
    before = booked();
    for (const { name, folder } of FILES) await dropOutputs(name, folder);
    await world.finish();
  });

  function booked(): string[] {
    return world.sandbox
      .books()
      .filter(({ charged: isCharged }) => isCharged)
      .map((row) => row.invoice)
      .toSorted();
  }

  async function dropOutputs(layout: LayoutName, folder: string): Promise<void> {
    const width = columnsOf(layout).length;
    const line = csvLines();
    for (const kind of ['result', 'rejects', 'retry'] as const) {
      const [output] = Object.entries(await world.outputs(kind)).filter(([name]) => name.startsWith(`${layout}__`));
      if (!output) continue;
      const [titles = [], ...table]: string[][] = parse(output[1], { relax_column_count: true });
      const first = kind === 'result' ? 1 : 0;
      const cut = (rows: readonly string[][]) => rows.map((cells) => line(cells.slice(first, first + width))).join('');
      if (kind === 'result') {
        const approved = table.filter((cells) => ['APPROVED', 'ACCEPTED_PENDING'].includes(cells[width + 1]!));
        charged.set(
          layout,
          approved.map((cells) => cells[1]!),
        );
        if (clearNumbers) for (const cells of approved) enterNumber(layout, cells);
        await dropPart(`${layout}-odd`, layout, folder, cut(approved.filter((_row, index) => index % 2 === 1)));
        await dropPart(`${layout}-all`, layout, folder, cut([titles, ...approved]));
      }
      await world.drop(folder, `${layout}-${kind}.csv`, output[1]);
    }
  }

  /** Enters the whole number, as a person must who wants a row paid again, because a result shows no number whole. */
  function enterNumber(layout: LayoutName, cells: string[]): void {
    const at = columnsOf(layout).findIndex((name) => name === 'cardNumber' || name === 'accountNumber');
    if (at >= 0) cells[at + 1] = originals.get(layout)![Number(cells[0]) - 1]!.split(',')[at]!;
  }

  async function dropPart(name: string, layout: LayoutName, folder: string, text: string): Promise<void> {
    const rows = text.split('\r\n').length - 1 - (name.endsWith('-all') ? 1 : 0);
    dropped.push({ name: `${name}.csv`, layout, rows });
    await world.drop(folder, `${name}.csv`, text);
  }

  it(`charge nothing that was charged (seed ${seed})`, () => {
    expect(before.length).toBeGreaterThan(3 * ROWS);
    expect(booked()).toEqual(before);
  });

  it(`are held or refused for their rows, each of which is named (seed ${seed})`, async () => {
    for (const { name, layout, rows } of dropped) {
      expect(rows).toBeGreaterThan(charged.get(layout)!.length / 3);
      const file = await fileNamed(world, name);
      const hidden = !clearNumbers && ['card', 'ach'].includes(layout);
      expect(file.state, name).toBe(hidden ? 'rejected' : 'held');
      const { faults } = await readNotice(world, file, hidden ? 'nak' : 'held');
      const named = faults.filter(({ code }) => code === (hidden ? maskedCode(layout) : 'CHARGED_BEFORE'));
      const lines = named.reduce((sum, { line: text }) => sum + countLines(text), 0);
      expect(lines, `${name}: ${faults.map(({ code, value }) => `${code} ${value}`).join()}`).toBe(rows);
    }
  });
});

describe('corrected file', () => {
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

    it.each(LAYOUTS)(
      'of layout $layout, corrected and dropped again as it is, completes',
      async ({ layout, letter }) => {
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
      },
    );

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
});

/** Counts the rows of one line of a notice, such as `lines 2 to 412 (411 rows)`. */
function countLines(text: string): number {
  return Number(/\((\d+) rows\)/.exec(text)?.[1] ?? 1);
}

function maskedCode(layout: LayoutName): string {
  return layout === 'card' ? 'CARD_FORMAT' : 'ACCOUNT_FORMAT';
}
