import { type ColumnName, COLUMNS, columnsOf } from '../../../schemas/layouts.ts';
import type { CheckRules } from '../../../src/csv/check/check-payment-file.ts';
import type { Choose } from '../../simulation/choose.ts';
import { chooseLayoutOf } from './choose-rules.ts';
import { ODD_CELLS } from './odd-cells.ts';

/**
 * Writes a payment file, mostly sound, as strange as senders make them, in the folder's character set.
 * @param rows makes the choices of each row
 */
export function writeFile(choose: Choose, rules: CheckRules, rows: readonly Choose[]): Buffer {
  const columns = columnsOf(chooseLayoutOf(choose, rules.operation));
  const habits = chooseHabits(choose, rules);
  const lines: string[] = [];
  if (choose.happens(0.3)) lines.push(writeHeader(choose, columns));
  const headers = lines.length;
  for (const row of rows) lines.push(writeLine(row, columns, habits, lines));
  const mixesEnds = choose.happens(0.1);
  const end = choose.one(['\n', '\n', '\r\n', '\r']);
  const endOf = (row: Choose | undefined) => (mixesEnds && row ? row.one(['\n', '\r\n', '\r']) : end);
  const text = lines.map((line, index) => line + endOf(rows[index - headers])).join('');
  const isCut = choose.happens(0.1);
  const tail = choose.happens(0.1) ? choose.one(['\u001a', '\u001a\n', '\u001a\r\n\n', 'x', ' ']) : '';
  return encode(choose, isCut ? text.slice(0, -choose.between(1, 3)) : text + tail, rules.folder.charset);
}

/** What all rows of a file share: how often cells are odd or quoted, and how sound cells are written. */
type Habits = {
  readonly odd: number;
  readonly quoted: number;
  readonly twice: number;
  readonly bad: number;
  readonly sign: '' | '-';
  readonly mop: string;
  readonly card: string;
  readonly tag: string;
};

function chooseHabits(choose: Choose, rules: CheckRules): Habits {
  const [mop, card] = choose.one([
    ['VISA', '4222222222222220'],
    ['MC', '5555555555554444'],
    ['AMX', '378282246310005'],
  ] as const);
  return {
    odd: choose.one([0, 0.002, 0.01, 0.1, 0.5]),
    quoted: choose.one([0, 0, 0.02, 0.3, 1]),
    twice: choose.one([0, 0.001, 0.05, 0.5]),
    bad: choose.one([0, 0.001, 0.02]),
    sign: rules.operation === 'ach-refund' ? '-' : '',
    mop,
    card,
    tag: choose.one(['INV-', 'Inv-', 'Z/', '', 'Nr ']),
  };
}

const HEADERS: readonly ((title: string) => string)[] = [
  (title) => title,
  (title) => `"${title}"`,
  (title) => title.toLowerCase(),
];

function writeHeader(choose: Choose, columns: readonly ColumnName[]): string {
  const write = choose.one(HEADERS);
  const titles = columns.map((column) => write(COLUMNS[column].title));
  return (choose.happens(0.2) ? [...titles, choose.one(['Reason', 'CVV', 'Note'])] : titles).join(',');
}

function writeLine(choose: Choose, columns: readonly ColumnName[], habits: Habits, before: readonly string[]): string {
  if (before.length > 0 && choose.happens(habits.twice)) return before[choose.below(before.length)]!;
  if (choose.happens(habits.bad)) return writeBadLine(choose);
  const cells = columns.map((column) => writeCell(choose, column, habits));
  if (choose.happens(habits.bad)) cells.splice(choose.below(cells.length), choose.below(2), 'x');
  if (choose.happens(habits.bad)) cells.push(choose.one(['', 'said why', '123']));
  return choose.happens(habits.bad) ? damageLine(choose, cells.join(',')) : cells.join(',');
}

function writeBadLine(choose: Choose): string {
  return choose.one([
    '',
    '  ',
    '\u001a',
    '\u00a0',
    ',',
    '"',
    'x\u0007',
    ' '.repeat(17_000),
    'y'.repeat(140_000),
    '\u2028',
  ]);
}

/** Changes, inserts or removes characters that mean something in a line. */
function damageLine(choose: Choose, line: string): string {
  const at = choose.below(line.length + 1);
  const put = choose.one(['"', '""', ',', ' ', '\r', '\t', 'é', ' '.repeat(17_000), '\u0000', '="', '0', '-', '']);
  return line.slice(0, at) + put + line.slice(at + choose.below(3));
}

function writeCell(choose: Choose, column: ColumnName, habits: Habits): string {
  const { kind } = COLUMNS[column];
  const cell = choose.happens(habits.odd) ? choose.one(ODD_CELLS[kind]) : writeSound(choose, column, habits);
  if (!choose.happens(habits.quoted)) return cell;
  const text = kind === 'text' ? dressText(choose, cell) : cell;
  const [before, behind] = choose.happens(0.02) ? [' ', choose.one([' ', ' ', '', 'x'])] : ['', ''];
  return `${before}"${text.replaceAll('"', '""')}"${behind}`;
}

/** Adds commas often and anything else rarely, because csv-parse takes long for it. */
function dressText(choose: Choose, cell: string): string {
  if (choose.happens(0.3)) return `${cell}, B`;
  return choose.happens(0.02) ? choose.one([`,${cell}`, ' ,  ,', `"${cell}"`]) : cell;
}

function writeSound(choose: Choose, column: ColumnName, { sign, mop, card, tag }: Habits): string {
  if (column === 'state') return choose.one(['NY', 'TX', 'MA', 'ON', '']);
  if (column === 'zipCode') return choose.one(['12180', '02139', '12180-1234', '']);
  const { kind } = COLUMNS[column];
  switch (kind) {
    case 'date':
      return '06/15/2026';
    case 'invoice':
      return `${tag}${choose.below(1_000_000)}`;
    case 'text':
      return choose.one(['Ada', 'Byron', '1 Mill Lane', 'Troy', 'NY', '12180', '', 'E. Smith-Jones', 'Zoë']);
    case 'amount':
      return `${sign}${choose.below(1_000)}.${choose.digits(2)}`;
    case 'mop':
      return mop;
    case 'cardNumber':
      return card;
    case 'expiry':
      return choose.one(['12/35', '1235']);
    case 'accountType':
      return choose.one(['CHECKING', 'SAVING']);
    case 'accountNumber':
      return choose.one(['02100002100000000000000001', '1234', '021000021555', '12345678']);
    case 'customerCode':
      return `C${choose.below(100_000)}`;
  }
}

function encode(choose: Choose, text: string, charset: CheckRules['folder']['charset']): Buffer {
  if (choose.happens(0.05)) return Buffer.from(`\ufeff${text}`);
  if (choose.happens(0.03)) return Buffer.from(`\ufeff${text}`, 'utf16le');
  if (choose.happens(0.02))
    return Buffer.from(`\ufeff${text}`, 'utf16le')
      .subarray(0, 2 * text.length)
      .swap16();
  return Buffer.from(text, charset === 'utf-8' ? 'utf8' : 'latin1');
}
