import { type ColumnName, COLUMNS, columnsOf, type LayoutName } from '../../schemas/layouts.ts';

/** The rows of one sample: count, layout and invoices, numbered from `<invoices>-1001`. */
export type RowPlan = { layout: LayoutName; invoices: string; rows: number; sign: '' | '-' };

/**
 * Makes rows of a layout as text. Names and numbers are made up; card numbers are the sandbox's test numbers. The same
 * plan always gives the same rows.
 */
export function makeRows(plan: RowPlan): string[] {
  return Array.from({ length: plan.rows }, (_, row) => makeRow(plan, row));
}

/** @param changes replacement cells exactly as written in the file, quotes included */
export function makeRow(plan: RowPlan, row: number, changes: Partial<Record<ColumnName, string>> = {}): string {
  return columnsOf(plan.layout)
    .map((column) => changes[column] ?? CELLS[column](row, plan))
    .join(',');
}

export function headerOf(layout: LayoutName): string {
  return columnsOf(layout)
    .map((column) => COLUMNS[column].title)
    .join(',');
}

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
/** Method of payment and number. The second number answers by amount; the sandbox's front page has the table. */
const CARDS = [
  ['VISA', '4222222222222220'],
  ['VISA', '4111111111111111'],
  ['MC', '5454545454545454'],
  ['AMX', '378282246310005'],
] as const;
/** For the second card: approved, declined 15, declined 2, declined 19. */
const MAGIC_AMOUNTS = ['1.00', '2.00', '16.00', '15.00', '3.00', '5.00'];

const CELLS: Record<ColumnName, (row: number, plan: RowPlan) => string> = {
  date: () => '06/15/2026',
  invoice: (row, { invoices }) => `${invoices}-${1001 + row}`,
  firstName: (row) => pick(FIRST, row),
  lastName: (row) => pick(LAST, row + Math.floor(row / FIRST.length)),
  fullName: (row) => `${pick(FIRST, row)} ${pick(LAST, row + 3)}`,
  street: (row) => pick(STREETS, row),
  city: (row) => pick(TOWNS, row)[0],
  state: (row) => pick(TOWNS, row)[1],
  zipCode: (row) => pick(TOWNS, row)[2],
  amount: (row, plan) => plan.sign + amountOf(row, plan),
  mop: (row) => pick(CARDS, row)[0],
  cardNumber: (row) => pick(CARDS, row)[1],
  expiry: () => '12/35',
  accountType: (row) => (row % 3 === 2 ? 'SAVING' : 'CHECKING'),
  accountNumber: (row) => `021000021${String(40_000_000 + row * 7_919).padStart(17, '0')}`,
  customerCode: (row) => `A10${String(10_001 + row * 17)}`,
  comment: (row) => pick(COMMENTS, row),
};

function amountOf(row: number, { layout }: RowPlan): string {
  const isMagic = (layout === 'card' || layout === 'card-ca') && row % CARDS.length === 1;
  return isMagic
    ? pick(MAGIC_AMOUNTS, Math.floor(row / CARDS.length))
    : `${20 + row * 5}.${row % 2 === 0 ? '00' : '50'}`;
}

function pick<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length]!;
}
