import { COLUMNS, type ColumnName, columnsOf, LAYOUTS, type LayoutName } from '../../../../schemas/layouts.ts';
import { groupDigits } from '../../../kernel/counted.ts';
import { formatCents, parseAmount } from '../../../kernel/money.ts';
import { columnsOfTitle } from '../../check/column-titles.ts';
import type { ProfilePlace } from '../../profile/check-profile.ts';
import type { Table } from './decide-form.ts';
import { type ColumnEvidence, isBalanceOf, sumOf } from '../kinds-of-columns.ts';
import { type Match, matchColumns } from '../match-columns.ts';
import type { Memo } from '../memo.ts';
import type { Asker } from '../question.ts';
import { columnSource, otherSources, SAME_TEXT_SOURCE, type Source, titleShown } from '../sources.ts';

/** A column of the layout, what fits it, and the source that was chosen; none while its question is open. */
export type Chosen = { readonly match: Match; readonly source: Source | undefined };

/** Decides which of the operation's layouts the rows become. */
export function decideLayout({ operation, account }: ProfilePlace, table: Table, ask: Asker): LayoutName | undefined {
  const names = (Object.keys(LAYOUTS) as LayoutName[]).filter((name) => {
    const { operations, countries }: { operations: readonly string[]; countries?: readonly string[] } = LAYOUTS[name];
    return operations.includes(operation) && (countries?.includes(account.country) ?? true);
  });
  const hasNumbers = table.columns.some(({ isCard, digits }) =>
    operation === 'card' ? isCard : digits && digits.most >= 7,
  );
  const isFitting = (name: LayoutName) => columnsOf(name).includes('customerCode') !== hasNumbers;
  const answer = ask.choose({
    id: 'layout',
    step: 'columns',
    about: 'Layout',
    text: 'What does a row name: the number that is charged, or a customer whom the service knows?',
    evidence: [],
    options: names.map((value) => ({ value, label: LAYOUTS[value].title })),
    preselected: names.find(isFitting) ?? names[0]!,
  });
  return names.find((name) => name === answer);
}

/**
 * Decides the source of each column of the layout. What is sure is not asked, unless a person wants to see all.
 * @param wantsAll a person did not agree with what is left out
 */
export function decideColumns(
  layout: LayoutName,
  table: Table,
  { place, today, memo, wantsAll }: { place: ProfilePlace; today: string; memo: Memo; wantsAll: boolean },
  ask: Asker,
): readonly Chosen[] {
  const matches = memo(`matches ${layout} ${table.titles.join()}`, () =>
    matchColumns(columnsOf(layout), table.titles, table.columns, today),
  );
  return matches.map((found) => {
    const others = otherSources(found.column, { ...table, account: place.account });
    const match = isContested(found, table, others) ? { ...found, confidence: 'open' as const } : found;
    const sources = [...ownSources(match, table), ...others];
    const source = match.confidence === 'sure' && !wantsAll ? sources[0] : askSource(match, sources, table, ask);
    return { match, source: source && withText(source, match.column, ask) };
  });
}

/** Which column is charged is always asked when it could be another. So are parts of a number or date. */
function isContested({ column, confidence }: Match, table: Table, others: readonly Source[]): boolean {
  if (confidence !== 'sure') return false;
  const isSecond = column === 'amount' && table.columns.filter((cells) => mayBeAmount(cells, table)).length > 1;
  return isSecond || others.some(({ places }) => places.length > 0);
}

/** Whole numbers may be amounts too, unless the title says that they are something else. */
function mayBeAmount({ isMoney, numberForms, place }: ColumnEvidence, { titles }: Table): boolean {
  if (isMoney || numberForms.length === 0) return isMoney;
  const named = columnsOfTitle(String(titles[place]));
  return named.length === 0 || named.includes('amount');
}

/** The columns as they stand, the best first. Those that contradict stand there only if all do. */
function ownSources({ column, scores, place }: Match, { titles, columns }: Table): readonly Source[] {
  const ofWords = COLUMNS[column].kind === 'mop' || COLUMNS[column].kind === 'accountType';
  const isFitting = ofWords || scores.some((score) => score > 0) ? (at: number) => scores[at]! > 0 : () => true;
  return columns
    .map((cells, at) => ({ source: columnSource(titles[at]!, cells), score: at === place ? 2 : scores[at]! }))
    .filter((_, at) => isFitting(at))
    .toSorted((a, b) => b.score - a.score)
    .map(({ source }) => source);
}

function askSource(match: Match, sources: readonly Source[], table: Table, ask: Asker): Source | undefined {
  const { column } = match;
  const suggested = column === 'amount' && hasRival(match, table) ? undefined : suggestSource(match, sources);
  const answer = ask.choose({
    id: `column:${column}`,
    step: 'columns',
    about: COLUMNS[column].title,
    text: column === 'amount' ? 'Which column is charged?' : `Which column is sent as ${COLUMNS[column].title}?`,
    evidence: column === 'amount' ? amountEvidence(table) : [],
    options: sources.map(({ value, label }) => ({ value, label })),
    ...(suggested && { preselected: suggested.value }),
  });
  return sources.find(({ value }) => value === answer);
}

/** Suggests a likely column, or else a likely pair of columns; nothing where several are as good. */
function suggestSource({ column, place, confidence, isTitled }: Match, sources: readonly Source[]): Source | undefined {
  const pairs = sources.filter(({ places, rule }) => places.length > 1 || rule.split !== undefined);
  // An account number beside its bank numbers is seldom whole, whatever its title; a person must look.
  if (column === 'accountNumber' && isTitled && pairs.length > 0) return undefined;
  if (place !== undefined && (isTitled || pairs.length === 0) && confidence !== 'open') return sources[0];
  if (pairs.length > 0 && !isTitled) return pairs[0];
  return place === undefined && !COLUMNS[column].required ? sources.find(({ rule }) => rule.value === '') : undefined;
}

/** Whether another column has other amounts: the open balance of an invoice beside its amount is for a person to see. */
function hasRival({ place, isTitled }: Match, { columns }: Table): boolean {
  const own = place === undefined ? undefined : columns[place];
  return isTitled && own !== undefined && columns.some((other) => other.isMoney && sumOf(other) !== sumOf(own));
}

function withText(source: Source, column: ColumnName, ask: Asker): Source | undefined {
  if (source.value !== SAME_TEXT_SOURCE) return source;
  const value = ask.write({
    id: `value:${column}`,
    step: 'columns',
    about: COLUMNS[column].title,
    text: `Which text is sent as ${COLUMNS[column].title} in each row?`,
    evidence: [],
  });
  return value === undefined ? undefined : { ...source, rule: { value: value.trim() } };
}

/** Says of each column of amounts what its sum is and what speaks for or against it. */
export function amountEvidence({ columns, titles, rows, sums }: Table): string[] {
  return columns
    .filter(({ isMoney }) => isMoney)
    .map((cells) => {
      const notes = [
        ...rows.totals.flatMap(({ row }) =>
          isTotalOf(cells, row.cells[cells.place]) ? ['that is the total row'] : [],
        ),
        ...columns
          .filter((other) => other.isMoney && isBalanceOf(cells, other))
          .map(({ place }) => `running balance of ${titleShown(titles[place]!)}`),
        ...sums
          .filter(({ equals }) => equals === cells.place)
          .map(({ add }) => `${add.map((place) => titleShown(titles[place]!)).join(' and ')} add up to it`),
      ];
      return [`${titleShown(titles[cells.place]!)}: sum ${shownSum(cells)}`, ...notes].join(', ');
    });
}

function isTotalOf(cells: ColumnEvidence, cell = ''): boolean {
  // Number cells of a workbook have no zeros at their end.
  if (parseAmount(cell.trim()) === sumOf(cells)) return true;
  const digits = cell.replace(/\D/g, '').replace(/^0+/, '');
  return digits !== '' && digits === String(Math.abs(sumOf(cells)));
}

export function shownSum(cells: ColumnEvidence): string {
  return groupDigits(formatCents(sumOf(cells)));
}

/** Returns the columns of the sample that the chosen sources read. */
export function usedPlaces(chosen: readonly Chosen[]): ReadonlySet<number> {
  return new Set(chosen.flatMap(({ source }) => source?.places ?? []));
}
