import type { ComponentChildren } from 'preact';

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

export type NoticeKind = 'bad' | 'warn' | 'info' | 'good';

/** Shows something to read now. The mark before it repeats what the color says. */
export function Notice({ kind, title, children }: { kind: NoticeKind; title: string; children?: ComponentChildren }) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <strong>
        <span class="mark" aria-hidden="true">
          {MARKS[kind]}
        </span>{' '}
        {title}
      </strong>
      {children && <div>{children}</div>}
    </div>
  );
}

const MARKS: Readonly<Record<NoticeKind, string>> = { bad: '✕', warn: '!', info: 'i', good: '✓' };

export type Column<Row> = {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Figures align right, so that their digits line up. */
  readonly isFigure?: boolean;
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
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  empty: ComponentChildren;
}) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={column.isFigure ? 'figure' : undefined}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column.title} class={column.isFigure ? 'figure' : undefined}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Links to the page before and after. `next` is undefined on the last. */
export function Pager({ previous, next, says }: { previous?: string; next?: string; says: string }) {
  return (
    <nav class="pager" aria-label="Pages">
      {previous === undefined ? <span /> : <a href={previous}>← Newer</a>}
      <span>{says}</span>
      {next === undefined ? <span /> : <a href={next}>Older →</a>}
    </nav>
  );
}
