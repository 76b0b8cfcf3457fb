import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { csvLines } from '../../src/csv/write/write-csv.ts';
import { freshSeed } from '../gateway/support/seeds.ts';
import { fileNamed, readNotice } from '../support/bad-input.ts';
import { achRow, cardRow, codeRow, lines, MAGIC_CARD, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { seededRandom } from '../support/random.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

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

/** Counts the rows of one line of a notice, such as `lines 2 to 412 (411 rows)`. */
function countLines(text: string): number {
  return Number(/\((\d+) rows\)/.exec(text)?.[1] ?? 1);
}

function maskedCode(layout: LayoutName): string {
  return layout === 'card' ? 'CARD_FORMAT' : 'ACCOUNT_FORMAT';
}
