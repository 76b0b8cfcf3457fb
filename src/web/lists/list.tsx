import type { ComponentChildren } from 'preact';
import type { ListPage } from '../../ledger/engine/list-page.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { saidState } from '../../../schemas/shown.ts';
import { capital } from '../../explain/why/sentence.ts';
import { groupDigits } from '../../kernel/counted.ts';
import { fieldOf } from '../access/read-form.ts';
import { addressOf } from '../parts/address.ts';
import { type Column, Table } from '../parts/blocks.tsx';

/** What an export writes in a cell. Money is integer cents. */
export type ExportValue = string | number | Date | { readonly cents: number } | null;

/** A column of a list: on its page, in its exports, or in both. */
export type ListColumn<Row> = Omit<Column<Row>, 'cell'> & {
  readonly cell?: Column<Row>['cell'];
  readonly value?: (row: Row) => ExportValue;
  /** Whether its values are moments, so that the heading in a workbook must name their zone. */
  readonly isMoment?: boolean;
};

/** Values of an address; those that are empty are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** A list as a request asks for it: for its page, its exports and its saved views alike. */
export type OpenList<Row, Order extends string = string> = {
  /** Names it in the address of an export. */
  readonly name: string;
  readonly path: string;
  /** The tab of that page, if it has some. */
  readonly tab?: string;
  /** What selects its rows, as in the address. */
  readonly filter: Query;
  /** What else the address of an export must name. */
  readonly subject?: Query;
  /** Its orders, each with whether it begins with the largest; the first is the one without a choice. */
  readonly orders: Readonly<Record<Order, boolean>>;
  /** Rows on a page. */
  readonly size: number;
  /** Whether it is only read forward, from the start. */
  readonly isOneWay?: boolean;
  readonly columns: readonly ListColumn<Row>[];
  readonly numberOf: (row: Row) => number;
  readonly read: (ledger: Ledger, page: ListPage<Order>) => Promise<Row[]>;
  /** Counts its rows; anything above `most` says that there are more. */
  readonly count: (ledger: Ledger, most: number) => Promise<number>;
};

/** Rows that are counted for a page; above, it says so. */
export const MOST_COUNTED = 2_000;

/** Most rows of a workbook; a sheet of more is slow in every program. */
export const MOST_IN_WORKBOOK = 50_000;

/** How a list is sorted. */
export type Sorted<Order extends string = string> = { readonly order: Order; readonly isDescending: boolean };

/** Reads the order from an address. One that the list does not have counts as none. */
export function sortedBy<Order extends string>(
  orders: Readonly<Record<Order, boolean>>,
  query: unknown,
): Sorted<Order> {
  const asked = fieldOf(query, 'sort');
  const order = Object.hasOwn(orders, asked) ? (asked as Order) : (Object.keys(orders)[0] as Order);
  const dir = fieldOf(query, 'dir');
  return { order, isDescending: dir === 'desc' || (dir !== 'asc' && orders[order]) };
}

/** A page of a list with the way to the others. */
export type ReadPage<Row> = {
  readonly rows: readonly Row[];
  readonly sorted: Sorted;
  /** Place of its first row in the list; the first of all has 1. */
  readonly first: number;
  /** More than `MOST_COUNTED` for any number above. */
  readonly total: number;
  readonly previous: string | undefined;
  readonly next: string | undefined;
};

/** Reads the page of a list that an address asks for. What makes no sense there leads to the start. */
export async function readPage<Row, Order extends string>(
  list: OpenList<Row, Order>,
  ledger: Ledger,
  query: unknown,
): Promise<ReadPage<Row>> {
  const sorted = sortedBy(list.orders, query);
  const [part, total] = await Promise.all([readPart(list, ledger, query, sorted), list.count(ledger, MOST_COUNTED)]);
  const { rows, isStart, hasNext } = part;
  const first = isStart ? 1 : placeOf(query, rows.length, total);
  const to = (step: Query) => pageAddress(list, sorted, step);
  const back = (top: Row) =>
    list.isOneWay ? to({}) : to({ before: list.numberOf(top), at: Math.max(1, first - list.size) });
  const [top, last] = [rows[0], rows.at(-1)];
  return {
    rows,
    sorted,
    first,
    total,
    previous: isStart || !top ? undefined : back(top),
    next: last && hasNext ? to({ after: list.numberOf(last), at: first + rows.length }) : undefined,
  };
}

type Part<Row> = { readonly rows: readonly Row[]; readonly isStart: boolean; readonly hasNext: boolean };

async function readPart<Row, Order extends string>(
  list: OpenList<Row, Order>,
  ledger: Ledger,
  query: unknown,
  sorted: Sorted<Order>,
): Promise<Part<Row>> {
  // One row more than shown tells whether another page follows.
  const page = { ...sorted, limit: list.size + 1 };
  const readAfter = async (after: number | undefined) => {
    const found = await list.read(ledger, { ...page, after });
    return { rows: found.slice(0, list.size), isStart: after === undefined, hasNext: found.length > list.size };
  };
  const [after, before] = [numberAt(query, 'after'), numberAt(query, 'before')];
  if (after !== undefined || before === undefined || list.isOneWay) return readAfter(after);
  const found = await list.read(ledger, { ...page, before });
  // A page that would begin before the start is the first one, whole and with what has come since.
  if (found.length <= list.size) return readAfter(undefined);
  return { rows: found.slice(-list.size), isStart: false, hasNext: true };
}

/** Returns the place that the address names. Rows may have gone since, so it is at most that of the last page. */
function placeOf(query: unknown, rows: number, total: number): number {
  const at = Math.max(1, numberAt(query, 'at') ?? 1);
  return total > MOST_COUNTED ? at : Math.min(at, Math.max(1, total - rows + 1));
}

function numberAt(query: unknown, name: string): number | undefined {
  const text = fieldOf(query, name);
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Returns the address of a list. An order that it has without a choice is not named, but the account is, even where it is
 * empty: one chosen for all lists would take its place.
 */
export function pageAddress(
  {
    path,
    tab,
    filter,
    orders = {},
  }: Pick<OpenList<never>, 'path' | 'tab' | 'filter'> & Partial<Pick<OpenList<never>, 'orders'>>,
  sorted?: Sorted,
  step: Query = {},
): string {
  const address = addressOf(path, { tab, ...filter, ...(sorted && orderQuery(orders, sorted)), ...step });
  return filter['account'] === '' ? `${address}${address.includes('?') ? '&' : '?'}account=` : address;
}

function orderQuery(orders: Readonly<Record<string, boolean>>, { order, isDescending }: Sorted): Query {
  const isUsual = isDescending === orders[order];
  return {
    sort: order === Object.keys(orders)[0] && isUsual ? undefined : order,
    dir: isUsual ? undefined : isDescending ? 'desc' : 'asc',
  };
}

/** Shows what selects the rows of a list, each with a link that takes it away. */
export function Chips({ list: { path, filter } }: { list: { path: string; filter: Query } }) {
  const chosen = Object.entries(filter).filter(([, value]) => value !== '' && value !== undefined);
  if (chosen.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters">
      {chosen.map(([name, value]) => (
        <li key={name}>
          <a href={pageAddress({ path, filter: { ...filter, [name]: '' } })}>
            {`${capital(name)}: ${saidState(String(value))} `}
            <span aria-hidden="true">×</span>
            <span class="hidden">remove</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

type ListTableProps<Row, Order extends string> = {
  readonly list: OpenList<Row, Order>;
  readonly page: ReadPage<Row>;
  readonly label: string;
  readonly empty: ComponentChildren;
};

/** Shows a page of a list: its table, the way to the other pages, and its exports. */
export function ListTable<Row, Order extends string>({ list, page, label, empty }: ListTableProps<Row, Order>) {
  const { rows, sorted, previous, next } = page;
  const columns = list.columns.flatMap(({ cell, ...column }) => (cell ? [{ ...column, cell }] : []));
  return (
    <>
      <Table
        label={label}
        rows={rows}
        empty={empty}
        columns={columns}
        sorting={{
          by: sorted.order,
          isDescending: sorted.isDescending,
          hrefOf: (sort) => (Object.hasOwn(list.orders, sort) ? sortAddress(list, sorted, sort as Order) : undefined),
        }}
      />
      {rows.length > 0 && (
        <nav class="pager" aria-label="Pages">
          {previous === undefined ? (
            <span />
          ) : (
            <a href={previous}>{list.isOneWay ? '← From the start' : '← Previous'}</a>
          )}
          <span>{sayPlace(page)}</span>
          {next === undefined ? <span /> : <a href={next}>Next →</a>}
        </nav>
      )}
      {rows.length > 0 && <Exports list={list} page={page} />}
    </>
  );
}

function sortAddress<Row, Order extends string>(list: OpenList<Row, Order>, sorted: Sorted, order: Order): string {
  const isDescending = sorted.order === order ? !sorted.isDescending : list.orders[order];
  return pageAddress(list, { order, isDescending });
}

/** Says which rows a page has: `1 to 50 of 1,284`. */
function sayPlace({ rows, first, total }: ReadPage<unknown>): string {
  return `${sayNumber(first)} to ${sayNumber(first + rows.length - 1)} of ${sayCount(total)}`;
}

/** Says a count that ends at the most that is counted: `1,284`, or `2,000+`. */
export function sayCount(count: number): string {
  return count > MOST_COUNTED ? `${sayNumber(MOST_COUNTED)}+` : sayNumber(count);
}

function sayNumber(count: number): string {
  return groupDigits(String(count));
}

function Exports<Row, Order extends string>({
  list,
  page: { sorted, total },
}: {
  list: OpenList<Row, Order>;
  page: ReadPage<Row>;
}) {
  const filter = { ...list.subject, ...list.filter };
  return (
    <ExportLinks
      what={total > MOST_COUNTED ? 'all' : sayNumber(total)}
      hrefOf={(form) => pageAddress({ path: `/export/${list.name}.${form}`, filter, orders: list.orders }, sorted)}
    />
  );
}

/** Links to the exports of a list. */
export function ExportLinks({ what, hrefOf }: { what: string; hrefOf: (form: 'csv' | 'xlsx') => string }) {
  return (
    <p class="exports no-print">
      Export {what} as{' '}
      <a href={hrefOf('csv')} download>
        CSV
      </a>{' '}
      or{' '}
      <a href={hrefOf('xlsx')} download>
        Excel
      </a>
    </p>
  );
}
