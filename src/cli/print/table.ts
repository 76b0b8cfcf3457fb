/** Formats a plain text table with columns as wide as their widest cell; `right` lists the right-aligned ones. */
export function textTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string {
  const widths = titles.map((title, index) => Math.max(width(title), ...rows.map((row) => width(row[index] ?? ''))));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => {
        const gap = ' '.repeat(Math.max(0, widths[index]! - width(cell)));
        return right.includes(index) ? gap + cell : cell + gap;
      })
      .join('  ')
      .trimEnd();
  return [line(titles), line(widths.map((size) => '-'.repeat(size))), ...rows.map(line)].join('\n');
}

/**
 * Formats one row for each item.
 * @param columns the cell of an item by the title of its column
 * @param right titles of the right-aligned columns
 */
export function tableOf<Item>(
  items: readonly Item[],
  columns: Readonly<Record<string, (item: Item) => string>>,
  right: readonly string[] = [],
): string {
  const titles = Object.keys(columns);
  const rows = items.map((item) => Object.values(columns).map((cellOf) => cellOf(item)));
  return textTable(
    titles,
    rows,
    right.map((title) => titles.indexOf(title)),
  );
}

/** Counts characters, not UTF-16 units: a name with an emoji must not shift its row. */
function width(text: string): number {
  return [...text].length;
}

/** Formats labels and values in two columns; empty values are left out. */
export function labelLines(rows: readonly (readonly [label: string, value: string])[]): string {
  const shown = rows.filter(([, value]) => value !== '');
  const width = Math.max(0, ...shown.map(([label]) => label.length));
  return shown.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join('\n');
}
