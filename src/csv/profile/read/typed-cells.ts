import type { FaultCode } from '../../../../schemas/errors.ts';
import type { Profile, Title } from '../../../../schemas/profiles.ts';
import type { Fault } from '../../../rows/rows.ts';
import { columnName } from '../../workbook/cell-address.ts';
import { shownDecimal } from '../../workbook/cell-value.ts';
import type { CellReport } from '../cell-rules.ts';
import type { LineKind } from './profile-reader.ts';
import { titlesOfRule } from '../profile-titles.ts';
import type { CellType, SourceRow } from './text-rows.ts';

/** What the profile wants a cell to be. `any` is a cell that is only compared. */
type Wanted = 'text' | 'number' | 'date' | 'any';

const FITTING: { readonly [Type in Wanted]: readonly CellType[] } = {
  text: ['text', 'empty'],
  number: ['number', 'padded', 'empty'],
  date: ['date', 'empty'],
  any: ['text', 'number', 'padded', 'date', 'empty'],
};

const MISFITS: { readonly [Type in Wanted]: FaultCode } = {
  text: 'SHAPE_DIFFERS',
  number: 'NUMBER_FORMAT',
  date: 'FORMAT_DIFFERS',
  any: 'SHAPE_DIFFERS',
};

const SAID: { readonly [Type in CellType]: string } = {
  empty: 'is empty',
  text: 'is a text',
  number: 'is a number',
  padded: 'is a number that is shown with zeros in front, which it does not have',
  date: 'is a date',
  long: 'is a number of more than 15 digits, so the last ones are lost',
  error: 'is an error',
  unsaved: 'is a formula without a saved result',
};

const FORMULA = 'is the result of a formula, and the profile allows none in this column';

/** A number in a column of texts counts as its digits. */
const DIGITS = /^\d{1,15}$/;

/** Nothing is certain of their content. */
const UNCERTAIN: readonly CellType[] = ['long', 'error', 'unsaved'];

const NONE: ReadonlySet<number> = new Set();

/** Compiles what a profile wants of the cells of a workbook. Of a text file it wants nothing. */
export function typedCells(profile: Profile, placeOf: (title: Title) => number) {
  const columns = countedColumns(profile, placeOf);
  const allowed = new Set(profile.read.kind === 'workbook' ? profile.read.formulas.map(placeOf) : []);

  /**
   * Reports the cells of a payment that are not what the profile wants.
   * @returns their places
   */
  function misfits({ line, cells, typed }: SourceRow, report: CellReport): ReadonlySet<number> {
    if (!typed) return NONE;
    const found = new Set<number>();
    for (const [place, { title, wanted }] of columns) {
      const type = typed.types[place] ?? 'empty';
      const isFormula = typed.formulas.includes(place) && !allowed.has(place);
      const isFitting =
        FITTING[wanted].includes(type) || (wanted === 'text' && type === 'number' && DIGITS.test(cells[place]!));
      if (isFitting && !isFormula) continue;
      found.add(place);
      const code = type === 'long' ? 'SPREADSHEET_DAMAGE' : MISFITS[wanted];
      report(code, title, `${addressOf(place, line)} ${isFitting ? FORMULA : SAID[type]}`);
    }
    return found;
  }

  /** Returns what else of a row needs a look. What stands above the titles does not count. */
  function doubts({ line, typed }: SourceRow, kind: LineKind): Fault[] {
    if (!typed || kind === 'above' || kind === 'unread') return [];
    const isCounted = (place: number) => kind === 'payment' && columns.has(place);
    const uncertain = typed.types.flatMap((type, place) =>
      UNCERTAIN.includes(type) && !isCounted(place) ? [`${addressOf(place, line)} ${SAID[type]}`] : [],
    );
    const isChosen = kind === 'skipped' || kind === 'tail';
    const formulas = typed.formulas.flatMap((place) =>
      isChosen && columns.has(place) && !allowed.has(place) ? [`${addressOf(place, line)} ${FORMULA}`] : [],
    );
    const hidden = typed.isHidden && kind !== 'blank' ? ['the row is hidden'] : [];
    return [...hidden, ...uncertain, ...formulas].map((detail) => ({ code: 'WORKBOOK_DOUBT', line, detail }));
  }

  return { misfits, doubts };
}

function addressOf(place: number, line: number): string {
  return `cell ${columnName(place + 1)}${line}`;
}

/**
 * Returns a total row with its sums as Excel shows them. The exact sum of many doubles is off in the last digits; it is
 * only compared, and never sent.
 */
export function withShownSums(row: SourceRow): SourceRow {
  const { typed } = row;
  if (!typed || typed.formulas.length === 0) return row;
  const isSum = (place: number) => typed.types[place] === 'number' && typed.formulas.includes(place);
  return { ...row, cells: row.cells.map((cell, place) => (isSum(place) ? shownDecimal(Number(cell)) : cell)) };
}

type Column = { readonly title: Title; readonly wanted: Wanted };

/** Returns the columns that are sent, compared or added up, by their places. */
function countedColumns(profile: Profile, placeOf: (title: Title) => number): ReadonlyMap<number, Column> {
  const { head, columns, ignore, check } = profile;
  const width = head.titles === 'none' ? (head.count ?? 0) : head.titles.length;
  const added = new Set(check.sums.flatMap(({ add, equals }) => [...add, equals]).map(placeOf));
  const left = new Set(ignore.map(placeOf).filter((place) => !added.has(place)));
  const compared = Array.from({ length: width }, (_, place) => place).filter((place) => !left.has(place));
  const sent = Object.values(columns).flatMap((rule) =>
    titlesOfRule(rule).map(([title]) => [placeOf(title), { title, wanted: wantedBy(rule, title) }] as const),
  );
  return new Map([...compared.map((place) => [place, { title: place + 1, wanted: 'any' }] as const), ...sent]);
}

function wantedBy({ type, sign }: Profile['columns'][keyof Profile['columns']] & object, title: Title): Wanted {
  return typeof sign === 'object' && sign.by === title ? 'text' : (type ?? 'text');
}
