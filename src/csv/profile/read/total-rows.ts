import type { Profile, Title } from '../../../../schemas/profiles.ts';
import { counted } from '../../../kernel/counted.ts';
import { formatCents, LARGEST_TOTAL_CENTS } from '../../../kernel/money.ts';
import type { Fault, Totals } from '../../../rows/rows.ts';
import { exactTotals } from '../../check/check-records.ts';
import { amountReader } from '../cell-rules.ts';
import { shownName } from './row-faults.ts';
import type { SourceRow } from './text-rows.ts';

type Rule = Profile['rows']['totals'][number];
type PlaceOf = (title: Title) => number;

/**
 * Compares the total rows of a file with its rows. The sum is that of the column that the total row states, in cents,
 * which may be another one than the amount that is sent.
 */
export function totalRows(profile: Profile, placeOf: PlaceOf) {
  const centsOf = columnCents(profile);
  const totals = profile.rows.totals.map((rule) => openTotal(rule, summedColumns(rule, profile), placeOf, centsOf));

  /** @param isTaken whether the row is a payment; otherwise `only` or its sign leaves it out */
  function addRow(cells: readonly string[], isTaken: boolean): void {
    for (const total of totals) total.addRow(cells, isTaken);
  }

  function takeTotal(rule: number, row: SourceRow): void {
    totals[rule]!.takeTotal(row);
  }

  return { addRow, takeTotal, faults: (): Fault[] => totals.flatMap((total) => total.faults()) };
}

/**
 * Returns the columns whose sum a total row states, and those that count as negative. A total row with cells of its own
 * has its figure in another column than the rows.
 */
function summedColumns({ amount, cells }: Rule, { columns }: Profile): { plus: Title[]; minus: Title[] } {
  if (amount === undefined) return { plus: [], minus: [] };
  if (cells === undefined) return { plus: [amount], minus: [] };
  const { from, positive, negative } = columns.amount ?? {};
  return { plus: [from, positive].filter(isTitle), minus: [negative].filter(isTitle) };
}

function isTitle(title: Title | undefined): title is Title {
  return title !== undefined;
}

type CentsOf = (cell: string) => number | undefined;

/** Reads a cell of an amount column. A cell that stands for no amount counts as zero. */
function columnCents(profile: Profile): CentsOf {
  const read = amountReader(profile);
  const nothing = profile.columns.amount?.nothing ?? [''];
  return (cell) => {
    const amount = read(cell);
    if ('cents' in amount) return amount.cents;
    return nothing.includes(cell.trim()) ? 0 : undefined;
  };
}

function openTotal(
  { amount, rows, of, must, when }: Rule,
  { plus, minus }: ReturnType<typeof summedColumns>,
  placeOf: PlaceOf,
  centsOf: CentsOf,
) {
  const sum = exactTotals(LARGEST_TOTAL_CENTS);
  const stated: SourceRow[] = [];
  const summed = [
    ...plus.map((title) => ({ place: placeOf(title), sign: 1 })),
    ...minus.map((title) => ({ place: placeOf(title), sign: -1 })),
  ];
  let unread = 0;

  function addRow(cells: readonly string[], isTaken: boolean): void {
    if (!isTaken && of === 'taken') return;
    let cents = 0;
    for (const { place, sign } of summed) cents += sign * (centsOf(cells[place]!) ?? NaN);
    // A row whose amount cannot be read is still a row.
    if (sum.add(cents)) return;
    sum.add(0);
    unread += 1;
  }

  function faults(): Fault[] {
    const [row, ...others] = stated;
    if (!row)
      return must === 'maybe' ? [] : [{ code: 'TOTAL_MISSING', line: 0, detail: `no row has ${shownWhen(when)}` }];
    if (others.length > 0)
      return [{ code: 'TOTAL_MISSING', line: others[0]!.line, detail: `the first is on line ${row.line}` }];
    return [checkAmount(row, sum.sum()), checkRows(row, sum.sum())].flatMap((detail) =>
      detail === undefined ? [] : [{ code: 'TOTAL_DIFFERS', line: row.line, detail } as const],
    );
  }

  function checkAmount({ cells }: SourceRow, { cents }: Totals): string | undefined {
    if (amount === undefined) return undefined;
    const cell = cells[placeOf(amount)] ?? '';
    const total = cell.trim() === '' ? undefined : centsOf(cell);
    if (total === undefined) return `${shownName(amount)}: its amount cannot be read`;
    const odd = unread > 0 ? `, without ${counted(unread, 'row')} that cannot be read` : '';
    if (total === cents && unread === 0) return undefined;
    return `${shownName(amount)}: the total row says ${formatCents(total)}, the rows add up to ${formatCents(cents)}${odd}`;
  }

  function checkRows({ cells }: SourceRow, found: Totals): string | undefined {
    if (rows === undefined) return undefined;
    const [count] = /^\d{1,8}$/.exec((cells[placeOf(rows)] ?? '').trim()) ?? [];
    if (count === undefined) return `${shownName(rows)}: its number of rows cannot be read`;
    if (Number(count) === found.rows) return undefined;
    return `${shownName(rows)}: the total row says ${counted(Number(count), 'row')}, there are ${found.rows}`;
  }

  return { addRow, takeTotal: (row: SourceRow): void => void stated.push(row), faults };
}

function shownWhen(when: Rule['when']): string {
  const conditions = [when].flat().map(({ column, is, starts }) => {
    if (is === undefined && starts === undefined) return `an empty ${shownName(column)}`;
    return `${shownName(column)} ${is === undefined ? `beginning with "${starts}"` : `"${is}"`}`;
  });
  return conditions.join(' and ');
}
