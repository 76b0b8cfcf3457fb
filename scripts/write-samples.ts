import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COLUMNS, type ColumnName } from '../schemas/columns.ts';
import { columnsOf, type LayoutName } from '../schemas/layouts.ts';

/**
 * Writes the valid sample files: one per (operation, layout), made from the tables of schemas/. All names and numbers
 * are made up; the card numbers are the test numbers of the sandbox.
 */
const SAMPLES = join(dirname(fileURLToPath(import.meta.url)), '..', 'samples');

type Sample = { file: string; layout: LayoutName; invoices: string; rows: number; sign: '' | '-' };

const VALID: readonly Sample[] = [
  { file: 'card/card.csv', layout: 'card', invoices: 'C', rows: 24, sign: '' },
  { file: 'card/card-code.csv', layout: 'card-code', invoices: 'CC', rows: 12, sign: '' },
  { file: 'card-canada/card-ca.csv', layout: 'card-ca', invoices: 'CA', rows: 10, sign: '' },
  { file: 'ach-charge/ach.csv', layout: 'ach', invoices: 'A', rows: 20, sign: '' },
  { file: 'ach-charge/ach-code.csv', layout: 'ach-code', invoices: 'AC', rows: 8, sign: '' },
  { file: 'ach-refund/ach.csv', layout: 'ach', invoices: 'R', rows: 6, sign: '-' },
  { file: 'ach-refund/ach-code.csv', layout: 'ach-code', invoices: 'RC', rows: 5, sign: '-' },
];

const FIRST = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Katherine', 'Tony'];
const LAST = ['Byron', 'Hopper', 'Turing', 'Dijkstra', 'Liskov', 'Knuth', 'Johnson', 'Hoare'];
const STREETS = ['1 Mill Lane', '22 Harbour Road', '7 Elm Street', '140 River Drive'];
const TOWNS = [
  ['Troy', 'NY', '12180'],
  ['Salem', 'MA', '01970'],
  ['Austin', 'TX', '73301'],
  ['Dover', 'DE', '19901'],
] as const;
const COMMENTS = ['June dues', 'Membership', 'Donation', 'Room hire'];
/** Method of payment and number; the second answers by amount (the sandbox's front page has the table). */
const CARDS = [
  ['VISA', '4222222222222220'],
  ['VISA', '4111111111111111'],
  ['MC', '5454545454545454'],
  ['AMX', '378282246310005'],
] as const;
/** For the second card: approved, declined 15, declined 2, declined 19. */
const MAGIC_AMOUNTS = ['1.00', '2.00', '16.00', '15.00', '3.00', '5.00'];

type Cells = (row: number, sample: Sample) => string;

const CELL: Record<ColumnName, Cells> = {
  date: () => '06/15/2026',
  invoice: (row, { invoices }) => `${invoices}-${1001 + row}`,
  firstName: (row) => pick(FIRST, row),
  lastName: (row) => pick(LAST, row + Math.floor(row / FIRST.length)),
  fullName: (row) => `${pick(FIRST, row)} ${pick(LAST, row + 3)}`,
  street: (row) => pick(STREETS, row),
  city: (row) => pick(TOWNS, row)[0],
  state: (row) => pick(TOWNS, row)[1],
  zipCode: (row) => pick(TOWNS, row)[2],
  amount: (row, sample) => sample.sign + amountOf(row, sample),
  mop: (row) => pick(CARDS, row)[0],
  cardNumber: (row) => pick(CARDS, row)[1],
  expiry: () => '12/35',
  accountType: (row) => (row % 3 === 2 ? 'SAVING' : 'CHECKING'),
  accountNumber: (row) => `021000021${String(40_000_000 + row * 7_919).padStart(17, '0')}`,
  customerCode: (row) => `A10${String(10_001 + row * 17)}`,
  comment: (row) => pick(COMMENTS, row),
};

for (const sample of VALID) write(sample.file, linesOf(sample));

function linesOf(sample: Sample): string {
  const columns = columnsOf(sample.layout);
  const rows = Array.from({ length: sample.rows }, (_, row) => columns.map((column) => CELL[column](row, sample)).join(','));
  // One sample shows that a header row is fine.
  const header = sample.layout === 'card' ? [columns.map((column) => COLUMNS[column].title).join(',')] : [];
  return `${[...header, ...rows].join('\n')}\n`;
}

function amountOf(row: number, { layout }: Sample): string {
  const isMagic = (layout === 'card' || layout === 'card-ca') && row % CARDS.length === 1;
  return isMagic ? pick(MAGIC_AMOUNTS, Math.floor(row / CARDS.length)) : `${20 + row * 5}.${row % 2 === 0 ? '00' : '50'}`;
}

function pick<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length]!;
}

function write(file: string, text: string): void {
  const path = join(SAMPLES, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
