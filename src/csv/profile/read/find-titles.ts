import { type Profile, SEPARATORS, type Title } from '../../../../schemas/profiles.ts';
import { counted } from '../../../kernel/counted.ts';
import type { Fault } from '../../../rows/rows.ts';
import { namesSecurityCode } from '../../check/column-titles.ts';
import { shownTitle, titlesSecurityCode } from '../../check/find-header.ts';
import { unguardCell } from '../../write/guard-cell.ts';
import { foldTitle, titlesOf } from '../profile-titles.ts';
import { versionInTitle } from '../returned-file.ts';
import type { SourceRow } from './text-rows.ts';
import { hiddenShown } from '../check/found-fault.ts';

/** What stands above the first row. */
export type Head = {
  /** How many rows belong to it: those above the titles, and the titles themselves. */
  readonly rows: number;
  /** The titles as the sender wrote them; undefined when there are none. */
  readonly titles: readonly string[] | undefined;
  /** Cells of every row. */
  readonly width: number;
  /** Faults that refuse the file. */
  readonly faults: readonly Fault[];
  /** A title names a security code, so no cell of the file may be kept. */
  readonly holdsCodes: boolean;
  /** Set if paydrop wrote the file: the version that read its rows before, by the beginning of its hash. */
  readonly writtenBy?: string;
};

/** Returns how many first lines must be read to find the titles, with one that names the separator. */
export function linesOfHead({ head }: Profile): number {
  return head.titles === 'none' ? 1 : (head.within ?? head.line ?? 1) + 1;
}

/**
 * Finds the titles and looks at what stands above them.
 * @param rows the first rows of the file, at least `linesOfHead` lines unless the file is shorter
 */
export function findHead(profile: Profile, rows: readonly SourceRow[]): Head {
  const { head } = profile;
  const first = checkSeparatorLine(profile, rows[0]);
  const faults = first?.fault ? [first.fault] : [];
  const offset = first ? 1 : 0;
  const returned = findReturned(profile, rows[offset]?.cells ?? []);
  if (returned) {
    return { ...returned, rows: offset + 1, width: returned.titles.length, faults, holdsCodes: false };
  }
  if (head.titles === 'none') {
    return { rows: offset, titles: undefined, width: head.count ?? 0, faults, holdsCodes: false };
  }
  const found = findTitleRow(profile, head.titles, rows.slice(offset));
  const end = offset + found.place;
  const titles = rows[end]?.cells ?? [];
  const codes = [...rows.filter(({ cells }) => titlesSecurityCode(cells)), ...rows.slice(end, end + 1)].find(
    ({ cells }) => cells.some(namesSecurityCode),
  );
  if (codes) faults.push({ code: 'SECURITY_CODE', line: codes.line, detail: 'named in the titles' });
  faults.push(...(found.fault ? [found.fault] : missingAbove(head.above, rows.slice(offset, end))));
  return { rows: end + 1, titles, width: titles.length, faults, holdsCodes: codes !== undefined };
}

/**
 * Returns the titles of a file with returned rows, which stand in its first line whatever the profile says; undefined
 * for any other file.
 */
export function findReturned(
  { head }: Profile,
  cells: readonly string[],
): { readonly titles: readonly string[]; readonly writtenBy: string } | undefined {
  const writtenBy = versionInTitle(cells.at(-1) ?? '');
  if (writtenBy === undefined) return undefined;
  const titles = cells.slice(0, -1).map(unguardCell);
  const wanted = head.titles === 'none' ? titlesOf({ head }).map(String) : head.titles;
  return titleMatcher(wanted, head.order)(titles) ? { titles, writtenBy } : undefined;
}

/** Returns undefined when the first line names no separator, and its fault if the profile does not allow it. */
function checkSeparatorLine({ read }: Profile, row: SourceRow | undefined): { fault?: Fault } | undefined {
  if (read.kind !== 'text' || !row) return undefined;
  const mark = SEPARATORS[read.separator];
  const [, named] = /^"?sep=(.?)/i.exec(row.cells.join(mark)) ?? [];
  if (named === undefined) return undefined;
  if (read.sepLine === 'refuse') return { fault: { code: 'SEPARATOR_LINE', line: row.line } };
  if (named === mark) return {};
  return { fault: { code: 'SEPARATOR_LINE', line: row.line, detail: `the profile says ${read.separator}` } };
}

type FoundRow = { readonly place: number; readonly fault?: Fault };

function findTitleRow({ head }: Profile, titles: readonly string[], rows: readonly SourceRow[]): FoundRow {
  const isWanted = titleMatcher(titles, head.order);
  const lineOf = (row: SourceRow) => row.line - rows[0]!.line + 1;
  if (head.within === undefined) {
    const wanted = head.line ?? 1;
    const place = rows.findIndex((row) => lineOf(row) === wanted);
    const row = rows[place];
    if (!row) return { place: rows.length, fault: titlesMissing(`the file has no line ${wanted}`) };
    return isWanted(row.cells) ? { place } : { place, fault: titlesDiffer(titles, row) };
  }
  const near = rows.filter((row) => lineOf(row) <= head.within!);
  const found = near.filter((row) => isWanted(row.cells));
  if (found.length === 1) return { place: near.indexOf(found[0]!) };
  if (found.length > 1) {
    return {
      place: near.length,
      fault: titlesMissing(`it stands on lines ${found.map(({ line }) => line).join(' and ')}`),
    };
  }
  const like = mostAlike(titles, near);
  const nowhere = titlesMissing(`it is not among the first ${counted(head.within, 'line')}`);
  return { place: near.length, fault: like ? titlesDiffer(titles, like) : nowhere };
}

/** Returns whether the cells of a row are these titles. */
export function titleMatcher(titles: readonly string[], order: 'exact' | 'any'): (cells: readonly string[]) => boolean {
  const arrange = (folded: string[]) => (order === 'any' ? folded.toSorted() : folded).join('\n');
  const wanted = arrange(titles.map(foldTitle));
  return (cells) => cells.length === titles.length && arrange(cells.map(foldTitle)) === wanted;
}

/** Returns the row that has most of the titles, at least half of them. */
function mostAlike(titles: readonly string[], rows: readonly SourceRow[]): SourceRow | undefined {
  let best: SourceRow | undefined;
  let most = titles.length / 2;
  for (const row of rows) {
    const known = knownTitlesIn(titles, row.cells);
    if (known < most || (best && known === most)) continue;
    best = row;
    most = known;
  }
  return best;
}

function titlesMissing(detail: string): Fault {
  return { code: 'TITLES_MISSING', line: 0, detail };
}

function titlesDiffer(titles: readonly string[], { line, cells }: SourceRow): Fault {
  return { code: 'TITLES_DIFFER', line, detail: howTitlesDiffer(titles, cells) };
}

function missingAbove(wanted: readonly string[], rows: readonly SourceRow[]): Fault[] {
  const found = new Set(rows.flatMap(({ cells }) => cells.map(foldTitle)));
  return wanted
    .filter((text) => !found.has(foldTitle(text)))
    .map((text) => ({ code: 'ABOVE_DIFFERS', line: 0, detail: `"${text}"` }) as const);
}

/**
 * Returns the function that finds the place of a title among the cells of a row.
 * @param titles those of the file, whose order may be another than that of the profile
 */
export function titlePlaces(
  profile: Pick<Profile, 'head'>,
  titles: readonly string[] | undefined,
): (title: Title) => number {
  const folded = titles?.map(foldTitle) ?? [];
  const isAnyOrder = profile.head.order === 'any';
  const places = new Map(
    titlesOf(profile).map((title, place) => [title, isAnyOrder ? folded.indexOf(foldTitle(String(title))) : place]),
  );
  return (title) => places.get(title) ?? -1;
}

const MOST_NAMED = 20;

/** Says how the titles of a row differ from those of the profile. */
function howTitlesDiffer(wanted: readonly string[], cells: readonly string[]): string {
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
function knownTitlesIn(wanted: readonly string[], cells: readonly string[]): number {
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
