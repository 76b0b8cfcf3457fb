/** Blocks of a page, an empty line between them. */
export function page(...blocks: readonly string[]): string {
  return blocks.join('\n\n');
}

/** A table of Markdown. A cell that is an empty text stays empty. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, titles.map(() => '---'), ...rows.map((row) => row.map(escapeCell))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A name or value as it is written in files and code. */
export function code(text: string): string {
  return `\`${text}\``;
}

export function codes(names: readonly string[], between = ', '): string {
  return names.map(code).join(between);
}

export function mermaid(...lines: readonly string[]): string {
  return ['```mermaid', ...lines, '```'].join('\n');
}

/** A sentence from the words of a table, which have no capital and no full stop. */
export function sentence(text: string): string {
  return withStop(text.charAt(0).toUpperCase() + text.slice(1));
}

/** A sentence whose first word keeps its letters, because it may be a value. */
export function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** A bar would end the cell, and an angle bracket could begin HTML. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
