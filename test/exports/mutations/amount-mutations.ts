import type { Chooser } from '../../csv/profile/support/made-payments.ts';
import type { Export } from '../made/exports.ts';
import { type Sheet, truthOf } from '../made/sheet.ts';
import type { Money } from '../systems/money.ts';
import {
  hasTotal,
  type Mutated,
  type Mutation,
  never,
  paymentRows,
  placeOf,
  withCell,
  withColumn,
  withRow,
} from './mutation.ts';

/** Amounts are written in another way, or are others. */
export const AMOUNT_MUTATIONS: readonly Mutation[] = [
  rewriting('marks of thousands and decimals are swapped', 'same', swapMarks, isMoney),
  rewriting('groups lose their marks', 'same', (cell) => cell.replace(/(?<=\d)[ .,'](?=\d{3}(?!\d))/g, ''), isMoney),
  rewriting(
    'groups get marks',
    'same',
    (cell, choose) => cell.replace(/\d(?=(?:\d{3})+(?!\d))/g, `$&${choose.from([',', '.', ' ', "'"])}`),
    isMoney,
  ),
  {
    name: 'a third decimal',
    mutate: (made, choose) => {
      const { decimal } = moneyOf(made).number;
      const change = (cell: string) => cell.replace(/\d(?:[.,]\d{1,2})?(?=\D*$)/, (end) => `${end[0]}${decimal}125`);
      const file = decimal && withColumn(made, amountPlace(made), choose, change);
      return file ? never(file) : undefined;
    },
  },
  rewriting('an exponent', 'never', () => '1.2E+3'),
  rewriting('a foreign currency sign', 'never', (cell, choose) =>
    choose.from([`${cell} ¥`, `£${cell}`, `${cell} USD`]),
  ),
  rewriting('an empty amount', 'never', () => ''),
  rewriting('two signs', 'never', (cell, choose) => choose.from([`--${cell}`, `(-${cell})`, `-${cell}-`, `+-${cell}`])),
  rewriting('a plus', 'never', (cell) => `+${cell}`),
  rewriting('a formula', 'never', (cell) => `="${cell}"`),
  rewriting('blanks around', 'same', (cell, choose) => choose.from([` ${cell} `, `\u00a0${cell}`, `${cell}\u00a0`])),
  rewriting('letters for digits', 'never', (cell) => cell.replace(/\d/, 'O')),
  {
    name: 'decimals are dropped',
    mutate: (made, choose) => recast(made, choose, /[.,]\d{1,2}(?=\D*$)/, '', wholeCents),
  },
  {
    name: 'the decimal mark is lost',
    mutate: (made, choose) => recast(made, choose, /[.,](?=\d{1,2}\D*$)/, '', wholeCents),
  },
  { name: 'cents get a point', mutate: (made, choose) => pointed(made, choose) },
  { name: 'a digit of an amount is another', mutate: changeDigit },
  { name: 'an amount changes its sign', mutate: changeSign },
  { name: 'a word of direction changes', mutate: changeDirection },
];

function isMoney({ number }: Money): boolean {
  return number.unit === 'money';
}

function amountPlace(made: Export): number {
  return placeOf(made, ({ isAmount }) => isAmount)!;
}

function moneyOf(made: Export): Money {
  return made.system.columns[amountPlace(made)]!.money!;
}

function rewriting(
  name: string,
  says: 'never' | 'same',
  change: (cell: string, choose: Chooser) => string,
  fits: (money: Money) => boolean = () => true,
): Mutation {
  return {
    name,
    mutate: (made, choose) => {
      const file = fits(moneyOf(made))
        ? withColumn(made, amountPlace(made), choose, (cell) => change(cell, choose))
        : undefined;
      return file && { file, says };
    },
  };
}

function swapMarks(cell: string): string {
  return cell.replace(/[.,]/g, (mark) => (mark === '.' ? ',' : '.'));
}

/** Changes how amounts are written where the profile takes whole numbers. Then the file says other amounts. */
function recast(
  made: Export,
  choose: Chooser,
  from: RegExp,
  to: string,
  centsOf: (cell: string) => number | undefined,
): Mutated | undefined {
  const { number } = moneyOf(made);
  if (number.unit !== 'money') return undefined;
  const place = amountPlace(made);
  const file = withColumn(made, place, choose, (cell) => cell.replace(from, to));
  if (!file || number.whole === 'refuse') return file && never(file);
  const rows = file.rows.map((row) => {
    const cents = row.known && row.cells.length > place ? centsOf(row.cells[place]!) : undefined;
    if (cents === undefined || !row.known || row.cells[place] === moneyOf(made).write(row.known.payment.cents))
      return row;
    return { ...row, known: { ...row.known, payment: { ...row.known.payment, cents } } };
  });
  return said(made, { ...file, rows });
}

/** Reads a whole number, whose groups may be marked. */
function wholeCents(cell: string): number | undefined {
  return /^(?:\d+|\d{1,3}(?:\.\d{3})+)$/.test(cell) ? Number(cell.replaceAll('.', '')) * 100 : undefined;
}

/** A file with a total contradicts its own changed rows. */
function said(made: Export, file: Sheet): Mutated {
  // A total that was wrong before may be right now.
  const isGuarded = (hasTotal(made.sheet) && made.variant.code !== 'TOTAL_DIFFERS') || made.system.sums !== undefined;
  return isGuarded ? never(file) : { file, says: [truthOf(file)] };
}

function pointed(made: Export, choose: Chooser): Mutated | undefined {
  if (isMoney(moneyOf(made))) return undefined;
  const file = withColumn(made, amountPlace(made), choose, (cell) => cell.replace(/\d(\d{6})(\d\d)$/, '$1.$2'));
  return file && never(file);
}

function changeDigit(made: Export, choose: Chooser): Mutated | undefined {
  const rows = paymentRows(made);
  if (rows.length === 0) return undefined;
  const index = choose.from(rows);
  const known = made.sheet.rows[index]!.known!;
  const digits = String(Math.abs(known.payment.cents));
  const place = choose.below(digits.length);
  const other = (Number(digits[place]) + 1 + choose.below(8)) % 10;
  const cents = Number(digits.slice(0, place) + (place === 0 && other === 0 ? 1 : other) + digits.slice(place + 1));
  const payment = { ...known.payment, cents: cents * Math.sign(known.payment.cents) };
  const column = made.system.columns[amountPlace(made)]!;
  const changed = { ...known, payment };
  const cells = made.sheet.rows[index]!.cells.with(amountPlace(made), column.cell(changed));
  return said(made, withRow(made.sheet, index, { cells, known: changed }));
}

/** A sign that the profile does not know holds the file. One that it knows makes a row of the other sign. */
function changeSign(made: Export, choose: Chooser): Mutated | undefined {
  const rows = paymentRows(made);
  if (rows.length === 0) return undefined;
  const index = choose.from(rows);
  const way = choose.from(['minus', 'trailing-minus', 'parentheses'] as const);
  const write = { minus: '-$&', 'trailing-minus': '$&-', parentheses: '($&)' }[way];
  const file = withCell(made.sheet, index, amountPlace(made), (cell) => cell.replace(/^[^]*$/, write));
  const isKnown = moneyOf(made).number.negative.includes(way) && made.system.otherSign === 'skip';
  return isKnown ? withoutRow(made, file, index) : never(file);
}

function changeDirection(made: Export, choose: Chooser): Mutated | undefined {
  const place = placeOf(made, ({ signs }) => signs);
  const rows = paymentRows(made);
  if (place === undefined || rows.length === 0) return undefined;
  const index = choose.from(rows);
  const { signs } = made.system.columns[place]!;
  const isListed = choose.chance(0.5);
  const file = withCell(made.sheet, index, place, (cell) =>
    isListed ? signs!.find((word) => word !== cell)! : `${cell}R`,
  );
  return isListed && made.system.otherSign === 'skip' ? withoutRow(made, file, index) : never(file);
}

/** The file says that a row is no payment any more. Sums within rows tell nothing of that. */
export function withoutRow({ sheet }: Export, file: Sheet, index: number): Mutated {
  const left = withRow(file, index, { kind: 'left' });
  return hasTotal(sheet) ? never(left) : { file: left, says: [truthOf(left)] };
}
