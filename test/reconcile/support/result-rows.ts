import fc from 'fast-check';
import { type ColumnName, columnsOf, type LayoutName, LAYOUTS } from '../../../schemas/layouts.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import type { ReconciledRow, RowResult, SentRow } from '../../../src/rows/rows.ts';
import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import { NO_CODE, OUTCOME_NAMES, type PackedOutcomes } from '../../../src/rows/packed-outcomes.ts';
import type { SentText } from '../../../src/rows/sent-text.ts';

export const LAYOUT_NAMES = Object.keys(LAYOUTS) as LayoutName[];

export function sentRow(layout: LayoutName, row: Partial<SentRow>): SentRow {
  const hasCode = columnsOf(layout).includes('customerCode');
  const number = layout.startsWith('ach') ? '0001' : '2220';
  return {
    line: 1,
    invoice: 'INV-1',
    customerCode: hasCode ? 'A10000001' : '',
    amountCents: 2500,
    lastFour: hasCode ? '' : number,
    ...row,
  };
}

/** Returns what the service answers to these rows, with the given cells. */
export function resultsOf(
  layout: LayoutName,
  sent: readonly SentRow[],
  cells: Partial<Record<ColumnName, string>> = {},
): RowResult[] {
  return sent.map(({ invoice, customerCode, amountCents, lastFour }, index) => ({
    position: index + 1,
    cells: cellsOf(layout, {
      invoice,
      customerCode,
      amount: formatCents(amountCents),
      cardNumber: `4***********${lastFour}`,
      accountNumber: `0*********************${lastFour}`,
      ...cells,
    }),
    message: 'Received',
  }));
}

export function changeCells(
  layout: LayoutName,
  cells: readonly string[],
  changed: Partial<Record<ColumnName, string>>,
): string[] {
  return columnsOf(layout).map((column, index) => changed[column] ?? cells[index]!);
}

/** Returns the result with one cell changed into another of its kind. */
export function alterCell(layout: LayoutName, result: RowResult, column: ColumnName): RowResult {
  const cell = result.cells[columnsOf(layout).indexOf(column)]!;
  const endsInDigit = column === 'amount' || column === 'cardNumber' || column === 'accountNumber';
  const other = endsInDigit ? `${cell.slice(0, -1)}${(Number(cell.at(-1)) + 1) % 10}` : `${cell}x`;
  return { ...result, cells: changeCells(layout, result.cells, { [column]: other }) };
}

/** Generates rows of which no two agree in invoice, amount and code. Few values, so that parts of them do agree. */
export function someBatch() {
  const row = fc.record({
    invoice: fc.constantFrom('1', '2', '01', 'A', 'a'),
    amountCents: fc.integer({ min: -3, max: 3 }).filter((cents) => cents !== 0),
    code: fc.constantFrom('A1', 'A2'),
    lastFour: fc.constantFrom('0001', '0002', '2220'),
  });
  return fc.constantFrom(...LAYOUT_NAMES).chain((layout) => {
    const hasCode = columnsOf(layout).includes('customerCode');
    return fc
      .uniqueArray(row, {
        maxLength: 20,
        selector: ({ invoice, amountCents, code }) => JSON.stringify([invoice, amountCents, hasCode && code]),
      })
      .map((rows) => ({
        layout,
        sent: rows.map(({ code, lastFour, ...rest }, index) =>
          sentRow(layout, { ...rest, line: index + 2, ...(hasCode ? { customerCode: code } : { lastFour }) }),
        ),
      }));
  });
}

export function shuffle<Item>(items: readonly Item[], numbers: Iterable<number>): Item[] {
  const random = numbers[Symbol.iterator]();
  const rest = [...items];
  return items.map(() => rest.splice((random.next().value as number) % rest.length, 1)[0]!);
}

/** Returns sent rows as one text, as the ledger gives them. */
export function sentTextOf(rows: readonly SentRow[]): SentText {
  const lines = rows.map(
    ({ line, invoice, customerCode, amountCents, lastFour }) =>
      `${[line, invoice, customerCode, amountCents, lastFour].join(',')}\n`,
  );
  return { rows: rows.length, bytes: Buffer.from(lines.join('')) };
}

/** Unpacks outcomes into objects. */
export function unpackOutcomes({ rows, lines, outcomes, codes, texts, ends }: PackedOutcomes): ReconciledRow[] {
  const text = (index: number) => texts.toString('utf8', index === 0 ? 0 : ends[index - 1], ends[index]);
  return Array.from({ length: rows }, (_, row) => ({
    line: lines[row]!,
    outcome: OUTCOME_NAMES[outcomes[row]!] as SentOutcome,
    code: codes[row] === NO_CODE ? null : codes[row]!,
    message: text(2 * row),
    authorization: text(2 * row + 1),
  }));
}

export const VISA = '4222222222222220';
export const ACCOUNT_NUMBER = '02100002100000000000000001';

const CELLS: Readonly<Record<ColumnName, string>> = {
  date: '06/15/2026',
  invoice: 'INV-1',
  firstName: 'Ada',
  lastName: 'Byron',
  fullName: 'Ada Byron',
  street: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180-1234',
  amount: '25.00',
  mop: 'VISA',
  cardNumber: VISA,
  expiry: '1228',
  accountType: 'CHECKING',
  accountNumber: ACCOUNT_NUMBER,
  customerCode: 'A10000001',
  comment: 'June dues',
};

/** Returns a valid row of a layout with the given cells. */
export function cellsOf(layout: LayoutName, cells: Partial<Record<ColumnName, string>> = {}): string[] {
  return columnsOf(layout).map((column) => cells[column] ?? CELLS[column]);
}

const OPERATION_OF = { card: 'card', ach: 'ach-charge' } as const;
export const operationOf = (layout: LayoutName) => (layout.startsWith('card') ? OPERATION_OF.card : OPERATION_OF.ach);

/** What the service may say and what it means, written out again so that the reader does not judge itself. */
export const SAYS: readonly (readonly [
  message: string,
  outcome: SentOutcome,
  code: number | null,
  only?: 'card' | 'ach',
])[] = [
  ['OK: 678594:', 'approved', null, 'card'],
  ['OK', 'approved', null, 'card'],
  ['OK: 02345Z:Y', 'approved', null, 'card'],
  ['Received', 'accepted_pending', null, 'ach'],
  ['REJECT: 15', 'declined', 15],
  ['REJECT: 7', 'declined', 7],
  ['REJECT: 70', 'unknown', 70],
  ['REJECT: 55', 'unknown', 55],
  ['REJECT: 9999', 'unknown', 9999],
  ['Wrong Format', 'format_error', null],
  ['Duplicated', 'duplicate', null],
  ['TIMEOUT', 'unknown', null],
  ['', 'unknown', null],
];

/** A sent row, the service's answer, and its line of the result file. */
export type Answered = { sent: SentRow; says: (typeof SAYS)[number]; text: string };

export function answer(layout: LayoutName, sent: SentRow, says: (typeof SAYS)[number], noise: string): Answered {
  const cells = cellsOf(layout, {
    invoice: sent.invoice,
    customerCode: sent.customerCode,
    amount: formatCents(sent.amountCents),
    cardNumber: `4***********${sent.lastFour}`,
    accountNumber: `0*********************${sent.lastFour}`,
    lastName: noise,
    comment: noise,
  });
  return { sent, says, text: [...cells, says[0]].join(',') };
}

/** A change to the lines of a result file. One that `breaks` must never pass as the whole result. */
export type Mutation = {
  name: string;
  breaks: boolean;
  change(lines: readonly string[], pick: number): readonly string[];
};

const at = (lines: readonly string[], pick: number) => pick % Math.max(1, lines.length);
const onLine = (change: (line: string) => string) => (lines: readonly string[], pick: number) =>
  lines.map((line, index) => (index === at(lines, pick) ? change(line) : line));

export const MUTATIONS: readonly Mutation[] = [
  { name: 'drop', breaks: true, change: (lines, pick) => lines.toSpliced(at(lines, pick), 1) },
  { name: 'repeat', breaks: true, change: (lines, pick) => [...lines, lines[at(lines, pick)]!] },
  {
    name: 'repeat in the place of another',
    breaks: false,
    change: (lines, pick) => lines.with(at(lines, pick), lines[at(lines, pick + 1)]!),
  },
  {
    name: 'swap',
    breaks: false,
    change: (lines, pick) => {
      const [one, other] = [at(lines, pick), at(lines, pick + 1)];
      return lines.with(one, lines[other]!).with(other, lines[one]!);
    },
  },
  { name: 'reverse', breaks: false, change: (lines) => lines.toReversed() },
  { name: 'alter the amount', breaks: true, change: onLine((line) => line.replace(/\d\.\d\d/, '9876.54')) },
  { name: 'alter the invoice', breaks: true, change: onLine((line) => line.replace(/INV-/, 'INV-9')) },
  {
    name: 'alter the end of the number or the code',
    breaks: true,
    change: onLine((line) => line.replace(/(\*\d{3})\d(?=,)|(A1000000)\d(?=,)/, '$1$2x')),
  },
  { name: 'lose a cell', breaks: true, change: onLine((line) => line.slice(line.indexOf(',') + 1)) },
  { name: 'gain a cell', breaks: true, change: onLine((line) => `x,${line}`) },
  { name: 'quote every cell', breaks: false, change: onLine((line) => `"${line.split(',').join('","')}"`) },
  { name: 'blank lines', breaks: false, change: (lines) => lines.flatMap((line) => ['', line, '  ']) },
  { name: 'blanks around cells', breaks: false, change: onLine((line) => line.split(',').join(' , ')) },
  { name: 'a foreign row', breaks: true, change: (lines) => [...lines, 'x,y,z'] },
];

export const ENCODINGS: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(text),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(text, 'latin1'),
];

/** Files in which no two rows agree in invoice and amount, as when no duplicate was approved. */
export const someFile = fc.constantFrom(...LAYOUT_NAMES).chain((layout) => {
  const allowed = SAYS.filter(([, , , only]) => !only || layout.startsWith(only));
  const row = fc.record({
    invoice: fc.integer({ min: 1, max: 30 }),
    cents: fc.constantFrom(100, 250, 1_999),
    end: fc.constantFrom('0001', '0002', '2220'),
    says: fc.constantFrom(...allowed),
    noise: fc.constantFrom('Byron', 'é', 'O Neil', ''),
  });
  return fc
    .uniqueArray(row, { minLength: 1, maxLength: 12, selector: ({ invoice, cents }) => `${invoice} ${cents}` })
    .map((rows) => ({
      layout,
      answered: rows.map(({ invoice, cents, end, says, noise }, index) => {
        const part = { line: index + 2, invoice: `INV-${invoice}`, amountCents: cents };
        const sent = sentRow(layout, layout.endsWith('code') ? part : { ...part, lastFour: end });
        return answer(layout, sent, says, noise);
      }),
    }));
});

export const someMutation = fc.tuple(fc.constantFrom(...MUTATIONS), fc.nat(1_000));
