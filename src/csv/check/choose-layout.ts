import { type Country, LAYOUTS, type LayoutName, layoutOf } from '../../../schemas/layouts.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { counted } from '../../kernel/counted.ts';
import type { Fault, RawRow } from '../../rows/rows.ts';

/**
 * The layout of a file: the one that most of its first rows name by their number of columns; of two that are named
 * alike, the first. To go by the first row alone would, when that row is the broken one, report all others.
 * @returns undefined when none of the rows names a layout
 */
export function chooseLayout(operation: FolderOperation, rows: readonly RawRow[]): LayoutName | undefined {
  const votes = new Map<LayoutName, number>();
  for (const row of rows) {
    const layout = layoutOf(operation, row.cells.length);
    if (layout) votes.set(layout, (votes.get(layout) ?? 0) + 1);
  }
  let chosen: LayoutName | undefined;
  for (const [layout, count] of votes) {
    if (!chosen || count > (votes.get(chosen) ?? 0)) chosen = layout;
  }
  return chosen;
}

/** Why the folder or the account does not take this layout. */
export function checkLayout(
  layout: LayoutName,
  rules: { account: { country: Country }; folder: { layout?: LayoutName | undefined } },
): Fault[] {
  const pinned = rules.folder.layout;
  const row: { title: string; countries?: readonly Country[] } = LAYOUTS[layout];
  const faults: Fault[] = [];
  if (row.countries && !row.countries.includes(rules.account.country)) {
    faults.push({
      code: 'LAYOUT_COUNTRY',
      line: 0,
      detail: `${row.title}; the account is of ${rules.account.country}`,
    });
  }
  if (pinned && pinned !== layout) {
    faults.push({ code: 'LAYOUT_FOLDER', line: 0, detail: `${row.title}; expected ${LAYOUTS[pinned].title}` });
  }
  return faults;
}

/** The fault of a row whose columns are not those of its file. */
export function columnCountFault(row: RawRow, operation: FolderOperation, layout: LayoutName | undefined): Fault {
  const count = row.cells.length;
  const bySemicolons = count === 1 && row.cells[0]?.includes(';');
  const hint = bySemicolons ? '; they seem to be separated by semicolons' : '';
  const detail = `${counted(count, 'column')}, expected ${expectedCount(operation, layout)}${hint}`;
  return { code: 'COLUMN_COUNT', line: row.line, detail };
}

function expectedCount(operation: FolderOperation, layout: LayoutName | undefined): string {
  if (layout) return String(LAYOUTS[layout].columns.length);
  const counts = Object.values(LAYOUTS)
    .filter((row) => (row.operations as readonly FolderOperation[]).includes(operation))
    .map((row) => row.columns.length);
  return counts.toSorted((a, b) => a - b).join(' or ');
}
