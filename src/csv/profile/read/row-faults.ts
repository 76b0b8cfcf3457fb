import type { FaultCode } from '../../../../schemas/errors.ts';
import { type ColumnName, COLUMNS } from '../../../../schemas/layouts.ts';
import type { ColumnRule, Profile, Title } from '../../../../schemas/profiles.ts';
import { joinedDigits } from '../../../kernel/plain-digits.ts';
import type { Fault } from '../../../rows/rows.ts';
import { shownValue } from '../../check/check-row.ts';

/** Builds the fault of a cell under a title of the sender. `cells` are those of its row. */
export type FaultOfCell = (
  code: FaultCode,
  line: number,
  cells: readonly string[],
  title: Title,
  detail?: string,
) => Fault;

/** Returns a function that names the title in the words of the sender and masks the cell. */
export function cellFaults(profile: Profile, placeOf: (title: Title) => number): FaultOfCell {
  const fed = columnsByPlace(profile, placeOf);
  const numberPlaces = [...fed].flatMap(([place, column]) => (isNumber(column) ? [place] : []));

  return (code, line, cells, title, detail) => {
    const place = placeOf(title);
    const column = fed.get(place);
    const cell = cells[place]?.trim() ?? '';
    const value = shownValue(column ?? 'comment', cell, ownNumber(cells, cell));
    return {
      code,
      line,
      ...(column && { column }),
      detail: detail === undefined ? shownName(title) : `${shownName(title)}: ${detail}`,
      ...(value !== '' && { value }),
    };
  };

  /** Returns the card or account number of the row, or the part of it that stands in the cell. */
  function ownNumber(cells: readonly string[], cell: string): string {
    const parts = numberPlaces.map((place) => joinedDigits(cells[place] ?? ''));
    return parts.find((part) => part.length >= SHORTEST_PART && cell.includes(part)) ?? parts.join('');
  }
}

const SHORTEST_PART = 4;

/** Returns a title as messages show it. */
export function shownName(title: Title): string {
  return typeof title === 'number' ? `column ${title}` : `"${title}"`;
}

/** Returns the column of the layout that each place feeds. A place that feeds two counts for the more secret one. */
function columnsByPlace(profile: Profile, placeOf: (title: Title) => number): ReadonlyMap<number, ColumnName> {
  const fed = new Map<number, ColumnName>();
  for (const [column, rule] of Object.entries(profile.columns) as [ColumnName, ColumnRule][]) {
    for (const title of titlesOfRule(rule)) {
      const place = placeOf(title);
      if (!fed.has(place) || isNumber(column)) fed.set(place, column);
    }
  }
  return fed;
}

/** Returns the titles that a rule reads. */
export function titlesOfRule({ from, join = [], month, year, positive, negative, sign }: ColumnRule): Title[] {
  const parts = join.map((part) => ('from' in part ? part.from : undefined));
  const by = typeof sign === 'object' ? sign.by : undefined;
  return [from, ...parts, month, year, positive, negative, by].filter((title) => title !== undefined);
}

function isNumber(column: ColumnName): boolean {
  return COLUMNS[column].kind === 'cardNumber' || COLUMNS[column].kind === 'accountNumber';
}
