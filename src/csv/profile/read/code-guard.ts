import type { Profile, Title } from '../../../../schemas/profiles.ts';
import type { Fault } from '../../../rows/rows.ts';
import type { Head } from './find-titles.ts';

const CODE = /^\d{3,4}$/;

/**
 * Looks for card security codes in columns without a title: an extra one beside the card, or one that is not sent.
 * @param head.writtenBy set when paydrop wrote the file, so that only the reason can be such a column
 * @param isSound whether cells, as many as the titles, can be read as a payment
 */
export function codeGuard(
  profile: Profile,
  { width, writtenBy }: Pick<Head, 'width' | 'writtenBy'>,
  placeOf: (title: Title) => number,
  isSound: CellsTest,
) {
  const titles = [profile.columns.cardNumber?.from, profile.columns.expiry?.from].filter(
    (title) => title !== undefined,
  );
  const beside = titles.flatMap((title) => [placeOf(title), placeOf(title) + 1]);
  const isUntitled = profile.head.titles === 'none';
  const extras = new Set([...(writtenBy === undefined ? beside : []), ...(isUntitled || writtenBy ? [width] : [])]);
  // Of a returned file, which may have one row, these columns were judged by all rows of the first file.
  const looksAtUnsent = isUntitled && writtenBy === undefined && titles.length > 0;
  const unsent = looksAtUnsent ? profile.ignore.map((title) => newColumn(placeOf(title))) : [];
  let payments = 0;

  /** Returns whether a row has one cell too many, and without a security code it is a payment. */
  function hasExtraCode(cells: readonly string[]): boolean {
    if (titles.length === 0 || cells.length !== width + 1) return false;
    return [...extras].some((place) => CODE.test(cells[place]!.trim()) && isSound(cells.toSpliced(place, 1)));
  }

  function takePayment(cells: readonly string[]): void {
    payments += 1;
    for (const column of unsent) {
      const cell = cells[column.place]!.trim();
      if (CODE.test(cell)) column.codes += 1;
      column.first ??= cell;
      column.differs ||= cell !== column.first;
    }
  }

  /** A column where every payment has such digits, and not always the same, must be one of security codes. */
  function faults(): Fault[] {
    const found = unsent.find(
      ({ codes, differs }) => codes === payments && payments > 0 && (differs || payments === 1),
    );
    if (!found) return [];
    return [
      { code: 'SECURITY_CODE', line: 0, detail: `column ${found.place + 1} has three or four digits in each row` },
    ];
  }

  return { hasExtraCode, takePayment, faults };
}

type CellsTest = (cells: readonly string[]) => boolean;

function newColumn(place: number) {
  return { place, codes: 0, first: undefined as string | undefined, differs: false };
}
