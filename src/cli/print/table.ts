import type { ProposalRow } from '../../ledger/proposal/propose.ts';
import type { OpenProposal } from '../../ledger/proposal/proposals.ts';
import { formatCents } from '../../kernel/money.ts';
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

export const HOW_TO_END = 'Another person runs "paydrop confirm NO"; any operator can run "paydrop refuse NO".';

/** Returns the open proposals as a table, oldest first. */
export function proposalTable(open: readonly OpenProposal[], when: (at: Date) => string): string {
  const rows = open.map((one) => [
    String(one.proposal_no),
    one.action,
    placeOf(one),
    one.name,
    one.account,
    String(one.rows),
    formatCents(one.cents),
    one.made_by,
    when(one.made_at),
    one.reason,
  ]);
  const titles = ['No', 'To', 'What', 'File', 'Account', 'Rows', 'Total', 'By', 'Since', 'Why'];
  return textTable(titles, rows, [0, 5, 6]);
}

/** Formats a file or batch as typed on the command line; a version of a profile has only its name. */
function placeOf({ file_id: fileId, batch_no: batchNo }: ProposalRow): string {
  return [fileId ?? 'profile', ...(batchNo === null ? [] : [batchNo])].join('/');
}
