import type { FaultCode } from '../../../../schemas/errors.ts';
import type { Profile, Title } from '../../../../schemas/profiles.ts';
import { joinedDigits } from '../../../kernel/plain-digits.ts';
import type { Fault } from '../../../rows/rows.ts';
import { shownValue } from '../../check/check-row.ts';
import { hideParts, numberParts } from '../mask-sender-row.ts';
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
  const partsOf = numberParts(uses, placeOf);

  return (code, line, cells, title, detail) => {
    const { columns = [], isSecret = false } = uses.get(title) ?? {};
    const [column] = columns;
    const parts = partsOf(cells);
    const cell = cells[placeOf(title)]?.trim() ?? '';
    const own = isSecret || parts.length === 1 ? cell : hideParts(cell, parts);
    const value = shownValue(column ?? 'comment', own, isSecret ? joinedDigits(cell) : parts.join(''));
    return {
      code,
      line,
      ...(column && { column }),
      detail: detail === undefined ? shownName(title) : `${shownName(title)}: ${hideParts(detail, parts)}`,
      ...(value !== '' && { value }),
    };
  };
}

/** Returns a title as messages show it. */
export function shownName(title: Title): string {
  return typeof title === 'number' ? `column ${title}` : `"${title}"`;
}
