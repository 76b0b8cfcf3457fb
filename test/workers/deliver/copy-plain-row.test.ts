import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { unguardCell } from '../../../src/csv/write/guard-cell.ts';
import { isPlainlyQuoted, splitPlainRow } from '../../../src/csv/read/split-cells.ts';
import { csvLines } from '../../../src/csv/write/write-csv.ts';
import { passesLuhn } from '../../../src/kernel/luhn.ts';
import { plainRowCopier, shownRow } from '../../../workers/deliver/copy-plain-row.ts';
import { cellsOf, LAYOUT_NAMES } from '../../reconcile/support/result-rows.ts';
import { achRow, CARD, cardRow } from '../../support/payment-rows.ts';
import { AccountConfig, type OutputForm } from '../../../schemas/config.ts';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { newLineBuffer } from '../../../src/csv/read/line-buffer.ts';
import { newRowPack, NO_OUTCOME_YET } from '../../../src/ledger/row/read-packed-rows.ts';
import { keptMessage } from '../../../src/reconcile/kept-message.ts';
import { type FinishedRow, outcomeCells, resultTitles } from '../../../src/reconcile/outputs/result-row.ts';
import { NO_CODE, OUTCOME_NAMES } from '../../../src/rows/packed-outcomes.ts';
import type { FinishedRows } from '../../../workers/deliver/finished-pages.ts';
import { outcomeCellWriter } from '../../../workers/deliver/write-rows.ts';

/** Returns the copier's version of a row; undefined when it leaves the row to `shownRow`. */
function copyRow(layout: LayoutName, row: string, options: { clear?: boolean } = {}): string | undefined {
  const around = '..';
  const from = Buffer.from(`${around}${row}\r\n`);
  const to = Buffer.alloc(row.length + 1 + around.length, '-');
  const end = plainRowCopier(layout, options)(from, around.length, around.length + row.length, to, around.length);
  return end < 0 ? undefined : to.toString('latin1', around.length, end);
}

function reference(layout: LayoutName, cells: readonly string[], options: { clear?: boolean } = {}): string {
  const amountAt = new Set([columnsOf(layout).indexOf('amount')]);
  return `${csvLines({ guard: true })(shownRow(layout, cells, options), amountAt).slice(0, -2)},`;
}

const DIGITS = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 20 });

function withCheckDigit(base: string): string {
  return Array.from({ length: 10 }, (_, digit) => `${base}${digit}`).find(passesLuhn)!;
}

/** Cells that matter to the copier: numbers in every disguise, formulas, blanks, quotes, amounts. */
const CELL = fc.oneof(
  DIGITS,
  fc
    .string({ minLength: 10, maxLength: 17, unit: fc.constantFrom(...'0123456789') })
    .map((base) => withCheckDigit(`4${base}`)),
  fc.string({ unit: fc.constantFrom('a', '1', '2', '4', ' ', '-', '.', '=', '+', '@', "'", '*', '/'), maxLength: 24 }),
  fc.constantFrom(
    '',
    '-5.00',
    '25',
    '25.',
    '.5',
    '25.5',
    '25.005',
    '12345678.00',
    '1234567.89',
    ' 25.00',
    'CHECKING',
    '"a, b"',
  ),
  fc.constantFrom('"25.00"', '"=1"', '"4222222222222220"', '"4111 1111 1111 1111"', '" a"', '""', 'x'.repeat(501)),
);

/** Rows of a layout in which a few cells are wrong. */
const ROW = fc.constantFrom(...LAYOUT_NAMES).chain((layout) => {
  const cells = cellsOf(layout, { firstName: 'Ada1', comment: 'of 3 dues' });
  const change = fc.tuple(fc.nat(cells.length - 1), CELL);
  const copied = fc.tuple(fc.nat(cells.length - 1), fc.nat(cells.length - 1), fc.constantFrom('', '0', 'X ', '-'));
  return fc
    .tuple(fc.array(change, { maxLength: 3 }), fc.option(copied), fc.constantFrom(0, 0, 0, 0, 1, -1))
    .map(([changes, copy, width]) => {
      const row = [...cells];
      for (const [at, cell] of changes) row[at] = cell;
      if (copy) row[copy[0]] = copy[2] + row[copy[1]]!.replaceAll('"', '');
      if (width > 0) row.push('12');
      if (width < 0) row.pop();
      return { layout, row: row.join(',') };
    });
});

describe('plainRowCopier', () => {
  it('makes of each row what shownRow and csvLines make of it, or leaves it to them', () => {
    const copied = new Map<string, number>();
    fc.assert(
      fc.property(ROW, fc.boolean(), ({ layout, row }, clear) => {
        if (row.includes('"') && !isPlainlyQuoted(Buffer.from(row), 0, row.length)) return;
        const shown = copyRow(layout, row, { clear });
        if (shown === undefined) return;
        const kind = row.includes('"') ? 'quoted' : layout;
        copied.set(kind, (copied.get(kind) ?? 0) + 1);
        expect(shown).toBe(reference(layout, splitPlainRow(row).map(unguardCell), { clear }));
      }),
      { numRuns: 3_000 },
    );
    for (const kind of [...LAYOUT_NAMES, 'quoted']) expect(copied.get(kind), kind).toBeGreaterThan(30);
  });

  it('agrees with them on every byte that a plain row may hold, at either end of a cell and in it', () => {
    for (let byte = 0x20; byte < 0x7f; byte += 1) {
      const character = String.fromCharCode(byte);
      if (',"'.includes(character)) continue;
      for (const cell of [character, `${character}x`, `x${character}`, `x${character}x`, `5${character}00`]) {
        for (const layout of LAYOUT_NAMES) {
          for (const column of columnsOf(layout)) {
            const cells = cellsOf(layout, { [column]: cell });
            const shown = copyRow(layout, cells.join(','));
            if (shown !== undefined) expect(shown).toBe(reference(layout, cells));
          }
        }
      }
    }
  });

  it.each(LAYOUT_NAMES)('copies a good row of %s itself, with blanks, quotes and long invoices in it', (layout) => {
    const good = { invoice: '2026-0615-1', lastName: '"Byron, Lady"', comment: ' June dues ', amount: '1234.50' };
    expect(copyRow(layout, cellsOf(layout, good).join(','))).toBeDefined();
    expect(copyRow(layout, cellsOf(layout, { amount: '-5.00' }).join(','))).toBeDefined();
    expect(copyRow(layout, cellsOf(layout, { accountNumber: '1234' }).join(','))).toBeDefined();
  });

  it.each([
    ['card', { cardNumber: '4222222222222221' }],
    ['card', { cardNumber: '4222 2222 2222 2220' }],
    ['card', { lastName: '4111 1111 1111 1111' }],
    ['card', { firstName: '=1' }],
    ['card', { firstName: '"=1"' }],
    ['card', { amount: '25.00 ' }],
    ['card', { amount: 'ten' }],
    ['ach', { accountNumber: '123' }],
    // A number this short may repeat in another cell, where it is starred.
    ['ach', { accountNumber: '00000', firstName: '00000' }],
    ['ach', { accountNumber: '1234567', comment: 'of 1234567' }],
    ['ach', { accountNumber: '12345678', comment: 'of 12345678' }],
    ['ach', { comment: 'x'.repeat(501) }],
  ] as const)('leaves a row of %s with %j to shownRow', (layout, cells) => {
    expect(copyRow(layout, cellsOf(layout, cells).join(','))).toBeUndefined();
  });
});

function ach(cells: Parameters<typeof achRow>[1]): string[] {
  return achRow(1, cells).split(',');
}

describe('shownRow', () => {
  it('masks the number and leaves the rest', () => {
    const cells = cardRow(1).split(',');
    expect(shownRow('card', cells)).toEqual(cells.map((cell) => (cell === CARD ? '************2220' : cell)));
  });

  it('shows the number where it may be shown', () => {
    const cells = cardRow(1).split(',');
    expect(shownRow('card', cells, { clear: true })).toEqual(cells);
  });

  it.each([
    ['-5.00  ', '-5.00'],
    ['  25.00', '25.00'],
    ['ten ', 'ten'],
    ['', ''],
  ])('the amount %j is shown as %j, masked or clear', (amount, shown) => {
    for (const clear of [true, false]) expect(shownRow('ach', ach({ amount }), { clear })[5]).toBe(shown);
  });

  it('leaves the blanks of other cells', () => {
    expect(shownRow('ach', ach({ comment: ' June ' }))[6]).toBe(' June ');
  });

  it.each([
    ['x'.repeat(500), 'x'.repeat(500)],
    ['x'.repeat(501), `${'x'.repeat(500)}…`],
    [`${' '.repeat(600)}June`, 'June'],
    [`${'x'.repeat(499)}😀😀`, `${'x'.repeat(499)}…`],
  ])('cuts an endless cell, never inside a character', (comment, shown) => {
    expect(shownRow('ach', ach({ comment }))[6]).toBe(shown);
  });
});

const TEXT = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'OK: 69,"=+-@\'\t\r\né😀'), maxLength: 8 }),
  fc.constantFrom('OK: 678594:', 'REJECT: 15', '', '-', '=1', '＝1', 'card 4222222222222220', '1234567', '123 45-67'),
  fc.constantFrom(199, 200, 201).map((length) => 'x'.repeat(length)),
);
/** The last columns in the lines of each batch. */
const SENT = [
  { batchId: '4471', sentAt: '2026-06-15 10:00:00 -04:00', resultAt: '2026-06-15 10:00:30 -04:00', attempt: 1 },
  { batchId: '4471', sentAt: '2026-06-15 10:00:00 -04:00', resultAt: '2026-06-15 10:00:31 -04:00', attempt: 1 },
  { batchId: '4471', sentAt: '2026-06-15 10:00:00 -04:00', resultAt: '', attempt: 2 },
  { batchId: '=4', sentAt: '', resultAt: '', attempt: null },
  { batchId: '', sentAt: '', resultAt: '', attempt: null },
];
const FINISHED = fc.record({
  line: fc.nat(),
  outcome: fc.constantFrom(...(Object.keys(OUTCOMES) as Outcome[])),
  code: fc.option(fc.nat(130)),
  message: TEXT,
  authorization: TEXT,
  batch: fc.nat(SENT.length - 1),
  cents: fc.oneof(fc.integer({ min: -10_001, max: 10_001 }), fc.constantFrom(9_000_000_000, -9_000_000_000)),
});
type TestRow = typeof FINISHED extends fc.Arbitrary<infer Row> ? Row : never;

/** Returns the same rows as the ledger packs them and as output files describe them. */
function packed(rows: readonly TestRow[], isChanged = false): { rows: FinishedRows; finished: FinishedRow[] } {
  const pack = { ...newRowPack(rows.length), count: rows.length };
  const texts: Buffer[] = [];
  let end = 0;
  const add = (text: string) => {
    texts.push(Buffer.from(text));
    end += texts.at(-1)!.length;
    return end;
  };
  rows.forEach(({ outcome, code, message, authorization, batch, cents }, place) => {
    const isKept = outcome !== 'invalid' && outcome !== 'not_sent';
    pack.outcomes[place] = isKept ? OUTCOME_NAMES.indexOf(outcome) : NO_OUTCOME_YET;
    pack.codes[place] = code ?? NO_CODE;
    pack.batchNos[place] = batch + 1;
    pack.cents[place] = cents;
    pack.ends[2 * place] = add(message);
    pack.ends[2 * place + 1] = add(authorization);
  });
  pack.texts = Buffer.concat(texts);
  if (isChanged) pack.changes = new Map([[1, { outcome: 'declined', code: 15, message: 'x', authorization: '' }]]);
  const finished = rows.map(({ batch, message, ...row }) => ({
    ...row,
    message: keptMessage(message),
    ...SENT[batch]!,
    currency: 'USD',
    account: 'main',
  }));
  return { rows: { count: rows.length, pack, packFrom: 0, at: (place) => finished[place]! }, finished };
}

const USUAL: OutputForm = AccountConfig.shape.outputs.parse({});

/** Returns the lines of some rows as the authoritative cells make them. */
function linesOfCells(finished: readonly FinishedRow[], form: OutputForm): string {
  const amountAt = new Set([resultTitles(form).indexOf('Amount Charged')]);
  const line = csvLines({ guard: true, form });
  return finished.map((row) => line(outcomeCells(row, form), amountAt)).join('');
}

describe('outcomeCellWriter', () => {
  it.each<[string, OutputForm]>([
    ['all columns', USUAL],
    ['semicolons and a decimal comma', { ...USUAL, delimiter: 'semicolon', decimal: 'comma' }],
    ['a decimal comma between commas', { ...USUAL, decimal: 'comma' }],
    ['some columns', { ...USUAL, columns: ['Meaning', 'Message', 'Amount Charged'] }],
  ])('puts the cells of the result line behind the input, whatever rows follow each other, with %s', (_what, form) => {
    fc.assert(
      fc.property(fc.array(FINISHED, { minLength: 1, maxLength: 6 }), fc.boolean(), (rows, isChanged) => {
        const into = newLineBuffer();
        const writeOutcomeCells = outcomeCellWriter(form);
        const { rows: given, finished } = packed(rows, isChanged);
        for (let place = 0; place < rows.length; place += 1) writeOutcomeCells(into, given, place);
        expect(into.bytes.toString('utf8', 0, into.length)).toBe(linesOfCells(finished, form));
      }),
      { numRuns: 500 },
    );
  });

  it.each(Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)))('writes %j as csvLines does', (text) => {
    for (const message of [text, `${text}a`, `a${text}`]) {
      const into = newLineBuffer();
      const sums = { cents: 100, batch: 0 };
      const row: TestRow = { line: 1, outcome: 'approved', code: 0, message, authorization: message, ...sums };
      const { rows, finished } = packed([row]);
      outcomeCellWriter(USUAL)(into, rows, 0);
      expect(into.bytes.toString('utf8', 0, into.length)).toBe(linesOfCells(finished, USUAL));
    }
  });
});
