/** Formats labels and values in two columns; empty values are left out. */
export function labelLines(rows: readonly (readonly [label: string, value: string])[]): string {
  const shown = rows.filter(([, value]) => value !== '');
  const width = Math.max(0, ...shown.map(([label]) => label.length));
  return shown.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join('\n');
}
