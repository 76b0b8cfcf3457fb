import { SEPARATORS } from '../../../../schemas/profiles.ts';
import { counted } from '../../../kernel/counted.ts';
import { shownTitle } from '../../check/find-header.ts';
import { hiddenShown } from '../check/found-fault.ts';
import { foldTitle } from '../profile-titles.ts';

const MOST_NAMED = 20;

/** Says how the titles of a row differ from those of the profile. */
export function howTitlesDiffer(wanted: readonly string[], cells: readonly string[]): string {
  if (foreignSeparator(cells) && wanted.length > 1) return howCountDiffers(wanted.length, cells);
  const changes = listChanges(wanted, cells);
  const more = changes.length > MOST_NAMED ? [`and ${changes.length - MOST_NAMED} more`] : [];
  return [...changes.slice(0, MOST_NAMED), ...more].join('; ');
}

/** Says that a row has another number of cells than the titles. */
export function howCountDiffers(expected: number, cells: readonly string[]): string {
  const separators = foreignSeparator(cells);
  const hint = separators ? `; they seem to be separated by ${separators}` : '';
  return `${counted(cells.length, 'column')}, expected ${expected}${hint}`;
}

/** Returns how many of the titles are in a row, by its own separator or another one. */
export function knownTitlesIn(wanted: readonly string[], cells: readonly string[]): number {
  const known = new Set(wanted.map(foldTitle));
  const ways = cells.length === 1 ? Object.values(SEPARATORS).map((mark) => cells[0]!.split(mark)) : [cells];
  return Math.max(...ways.map((way) => way.filter((cell) => known.has(foldTitle(cell))).length));
}

/** Returns the separators of a line that has only one cell with the separator of the profile. */
function foreignSeparator(cells: readonly string[]): string | undefined {
  const [only = ''] = cells;
  if (cells.length !== 1) return undefined;
  const counts = Object.entries(SEPARATORS).map(([name, mark]) => ({ name, marks: only.split(mark).length - 1 }));
  const [most] = counts.filter(({ marks }) => marks > 0).toSorted((a, b) => b.marks - a.marks);
  return most && `${most.name}s`;
}

function listChanges(wanted: readonly string[], cells: readonly string[]): string[] {
  const places = pairTitles(wanted, cells);
  const taken = new Set(places);
  const went = wanted.filter((_, index) => places[index] === undefined).map((title) => `"${shown(title)}" went`);
  const came = cells.flatMap((cell, place) =>
    taken.has(place) ? [] : [`${nameOf(cell)} came as column ${place + 1}`],
  );
  const stayed = places.filter((place) => place !== undefined);
  const ordered = stayed.toSorted((a, b) => a - b);
  const moved = stayed.flatMap((place, index) =>
    place === ordered[index] ? [] : [`"${shown(cells[place]!)}" moved to column ${place + 1}`],
  );
  return [...went, ...came, ...moved];
}

/** Returns where each title of the profile stands now; of equal ones, the first is paired with the first. */
function pairTitles(wanted: readonly string[], cells: readonly string[]): (number | undefined)[] {
  const free = new Map<string, number[]>();
  cells.forEach((cell, place) => {
    const title = foldTitle(cell);
    free.set(title, [...(free.get(title) ?? []), place]);
  });
  return wanted.map((title) => free.get(foldTitle(title))?.shift());
}

function nameOf(cell: string): string {
  return cell.trim() === '' ? 'an empty column' : `"${shown(cell)}"`;
}

/** Two titles that look alike must not be shown alike. */
function shown(title: string): string {
  return hiddenShown(shownTitle(title));
}
