import { type Country, LAYOUTS, type LayoutName, layoutOf } from '../../../schemas/layouts.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { counted } from '../../kernel/counted.ts';
import type { Fault, RawRow } from '../../rows/rows.ts';
import type { Line } from '../read/split-lines.ts';

/**
 * Chooses the layout that most of the first rows match by their number of columns; on a tie, the first. If the first
 * row alone decided and were the broken one, all others would be reported.
 * @returns undefined when no row matches a layout
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

type AccountRules = { readonly operation: FolderOperation; readonly account: { readonly country: Country } };

/** Returns why the folder or the account does not accept this layout. */
export function checkLayout(
  layout: LayoutName,
  rules: AccountRules & { folder: { layout?: LayoutName | undefined } },
): Fault[] {
  const pinned = rules.folder.layout;
  const row = LAYOUTS[layout];
  const faults: Fault[] = [];
  const { country } = rules.account;
  if (!isTakenIn(country, row)) {
    faults.push({
      code: 'LAYOUT_COUNTRY',
      line: 0,
      detail: `${row.title}; the account is in ${country} and takes ${expectedCount(rules, undefined)} columns`,
    });
  }
  if (pinned && pinned !== layout) {
    faults.push({ code: 'LAYOUT_FOLDER', line: 0, detail: `${row.title}; expected ${LAYOUTS[pinned].title}` });
  }
  return faults;
}

const SEPARATORS = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'pipes'],
] as const;

/** At least this share of the lines must have the separator; titles and totals may not. */
const SHARE_OF_SEPARATED_LINES = 0.6;

/** The layouts with the fewest columns have three separators. */
const FEWEST_SEPARATORS = 3;

/** Returns what stands between the cells of most lines in place of commas, if anything. */
export function findSeparator(lines: readonly Line[]): 'semicolons' | 'tabs' | 'pipes' | undefined {
  const texts = lines.map(({ text }) => text.replace(/"[^"]*"/g, ''));
  const count = (text: string, sign: string) => text.split(sign).length - 1;
  const isSeparated = (text: string, sign: string) =>
    count(text, sign) >= Math.max(FEWEST_SEPARATORS, count(text, ',') + 1);
  return SEPARATORS.find(
    ([sign]) =>
      texts.filter((text) => isSeparated(text, sign)).length >= Math.max(1, texts.length * SHARE_OF_SEPARATED_LINES),
  )?.[1];
}

/** Returns the fault of a row with the wrong number of columns. */
export function columnCountFault(row: RawRow, rules: AccountRules, layout: LayoutName | undefined): Fault {
  const count = row.cells.length;
  const bySemicolons = count === 1 && row.cells[0]?.includes(';');
  const hint = bySemicolons ? '; they seem to be separated by semicolons' : '';
  const detail = `${counted(count, 'column')}, expected ${expectedCount(rules, layout)}${hint}`;
  return { code: 'COLUMN_COUNT', line: row.line, detail };
}

/** Returns the numbers of columns that an account takes. */
function expectedCount({ operation, account }: AccountRules, layout: LayoutName | undefined): string {
  if (layout) return String(LAYOUTS[layout].columns.length);
  const counts = Object.values(LAYOUTS)
    .filter((row) => (row.operations as readonly FolderOperation[]).includes(operation))
    .filter((row) => isTakenIn(account.country, row))
    .map((row) => row.columns.length);
  return counts.toSorted((a, b) => a - b).join(' or ');
}

function isTakenIn(
  country: Country,
  row: { readonly title: string; readonly countries?: readonly Country[] },
): boolean {
  return row.countries === undefined || row.countries.includes(country);
}
