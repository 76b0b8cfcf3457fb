import type { FaultCode } from '../../../../schemas/errors.ts';
import type { Profile, Title } from '../../../../schemas/profiles.ts';
import { joinedDigits } from '../../../kernel/plain-digits.ts';
import type { Fault } from '../../../rows/rows.ts';
import { shownValue } from '../../check/check-row.ts';
import { usesOfTitles } from '../profile-titles.ts';

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
  const uses = usesOfTitles(profile);
  const numberPlaces = [...uses].flatMap(([title, { isSecret }]) => (isSecret ? [placeOf(title)] : []));

  return (code, line, cells, title, detail) => {
    const column = uses.get(title)?.columns[0];
    const cell = cells[placeOf(title)]?.trim() ?? '';
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
