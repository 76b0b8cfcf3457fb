import type { ComponentChildren } from 'preact';
import { passesLuhn } from '../../kernel/luhn.ts';
import { holdsCardNumber } from '../../kernel/mask.ts';
import { Icon, type IconName } from './icon.tsx';
import { ListContext } from './when.ts';
import { said } from './words.tsx';

/** Shows one section of a page. `live` names it for the script that refreshes it, and must be unique on the page. */
export function Section({
  title,
  live,
  actions,
  children,
}: {
  title: string;
  live?: string;
  actions?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const id = `s-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      <div data-part={live}>{children}</div>
    </section>
  );
}

type NoticeKind = 'bad' | 'warn' | 'info' | 'good';

/** Shows something to read now. The icon before it repeats what the color says. */
export function Notice({ kind, title, children }: { kind: NoticeKind; title: string; children?: ComponentChildren }) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <strong>
        <Icon name={MARKS[kind]} />
        <span>{said(title)}</span>
      </strong>
      {children && <div>{children}</div>}
    </div>
  );
}

const MARKS: Readonly<Record<NoticeKind, IconName>> = {
  bad: 'x-circle',
  warn: 'exclamation-triangle',
  info: 'information-circle',
  good: 'check-circle',
};

export type Column<Row> = {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Figures align right, so that their digits line up. */
  readonly isFigure?: boolean;
  /** Name of the order by this column, where the list has one. */
  readonly sort?: string;
  /** Place on a phone, where a row becomes two lines: name and amount in the first, the rest in the second. */
  readonly place?: 'name' | 'amount' | 'of-state';
};

/** The order of a table, and where a heading leads that sorts by another. */
export type Sorting = {
  readonly by: string;
  readonly isDescending: boolean;
  readonly hrefOf: (sort: string) => string | undefined;
};

/**
 * Shows a table that scrolls on its own when it is wider than the screen, by keyboard too.
 * @param empty shown when there are no rows: what would be here, and how it gets here
 */
export function Table<Row>({
  label,
  columns,
  rows,
  empty,
  sorting,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  empty: ComponentChildren;
  sorting?: Sorting;
}) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const hasLines = columns.some(({ place }) => place !== undefined);
  return (
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      <table {...(hasLines && { class: 'lines', role: 'table' })}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.title} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <ListContext.Provider value={true}>
          <tbody {...(hasLines && { role: 'rowgroup' })}>
            {rows.map((row, index) => (
              <tr key={index} {...(hasLines && { role: 'row' })}>
                {columns.map((column) => (
                  <Cell key={column.title} column={column} row={row} hasLines={hasLines} />
                ))}
              </tr>
            ))}
          </tbody>
        </ListContext.Provider>
      </table>
    </div>
  );
}

/** A heading that sorts leads to the same list in that order; a second time, in the opposite one. */
function Heading<Row>({
  column: { title, sort, isFigure },
  sorting,
}: {
  column: Column<Row>;
  sorting: Sorting | undefined;
}) {
  const href = sort === undefined ? undefined : sorting?.hrefOf(sort);
  const direction = sorting?.isDescending ? 'descending' : 'ascending';
  const isSorted = href !== undefined && sorting?.by === sort;
  return (
    <th scope="col" class={isFigure ? 'figure' : undefined} aria-sort={isSorted ? direction : undefined}>
      {href === undefined ? title : <a href={href}>{title}</a>}
    </th>
  );
}

/** A phone shows cells in lines. Then they need their heading beside them, and browsers forget what they are. */
function Cell<Row>({ column, row, hasLines }: { column: Column<Row>; row: Row; hasLines: boolean }) {
  const { title, cell, isFigure, place } = column;
  const names = [isFigure && 'figure', place].filter(Boolean).join(' ') || undefined;
  return (
    <td class={names} {...(hasLines && { role: 'cell', 'data-label': place ? undefined : title })}>
      {said(cell(row))}
    </td>
  );
}

/** Shows names and values; entries without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{said(value)}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Links through a list that begins at a number: to the next page or to the start. */
export function StepPager({
  first,
  next,
  says,
}: {
  first?: string | undefined;
  next?: string | undefined;
  says: string;
}) {
  if (first === undefined && next === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {first === undefined ? <span /> : <a href={first}>From the start</a>}
      <span>{says}</span>
      {next === undefined ? <span /> : <a href={next}>Next →</a>}
    </nav>
  );
}

/** Returns the page and the first row of the next one, if any. The caller must have read one row more than `size`. */
export function splitPage<Row>(rows: readonly Row[], size: number): { page: readonly Row[]; more: Row | undefined } {
  return { page: rows.slice(0, size), more: rows[size] };
}

/**
 * Returns whether the search text is a card number or contains one. Any 12 to 19 digits with a valid check digit count,
 * for any brand. Such an invoice can be found through its file.
 */
export function isCardNumber(words: string): boolean {
  const digits = words.replace(/[ .-]/g, '');
  return holdsCardNumber(words) || (/^\d{12,19}$/.test(digits) && passesLuhn(digits));
}

/** Replaces the results for a card number; the number is not repeated. */
export function CardNotice() {
  return (
    <Notice kind="warn" title="Card numbers cannot be searched; use the invoice">
      <p>
        The ledger keeps only the last digits of a number. The number is now in the address of this page: remove it from
        the browser history.
      </p>
    </Notice>
  );
}
