export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return ['Not measured in this run.', ''];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  // All columns but the first hold numbers and align right for comparison.
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line), ''];
}

export function count(number: number): string {
  return Math.round(number).toLocaleString('en-US');
}

/** Formats three significant digits: 0.0123, 1.23, 12.3, 1,230. */
export function figure(value: number | undefined, unit = ''): string {
  if (value === undefined || Number.isNaN(value)) return '';
  const shown = value >= 100 ? count(value) : String(Number(value.toPrecision(3)));
  return `${shown}${unit}`;
}
