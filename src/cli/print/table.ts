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

/** Counts characters, not UTF-16 units: a name with an emoji must not shift its row. */
function width(text: string): number {
  return [...text].length;
}
