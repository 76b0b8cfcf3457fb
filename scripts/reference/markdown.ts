/** Joins blocks with an empty line between them. */
export function page(...blocks: readonly string[]): string {
  return blocks.join('\n\n');
}

/** Renders a Markdown table. Empty cells stay empty. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, titles.map(() => '---'), ...rows.map((row) => row.map(escapeCell))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Formats a name or value as code. */
export function code(text: string): string {
  return `\`${text}\``;
}

export function codes(names: readonly string[], between = ', '): string {
  return names.map(code).join(between);
}

export function mermaid(...lines: readonly string[]): string {
  return ['```mermaid', ...lines, '```'].join('\n');
}

/** Makes a sentence of words that start in lower case and have no full stop. */
export function sentence(text: string): string {
  return withStop(text.charAt(0).toUpperCase() + text.slice(1));
}

/** Adds a full stop. The first word keeps its case, because it may be a value. */
export function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Escapes a bar, which would end the cell, and an angle bracket, which could begin HTML. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
