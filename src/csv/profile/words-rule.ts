import type { Title } from '../../../schemas/profiles.ts';
import { maskText } from '../../kernel/mask.ts';
import { misfit, type Misfit, type CellReport, type PlaceOf, usedCell } from './used-cell.ts';

/** Returns what two words have in common that count as the same: outer blanks and capitals do not matter. */
export function foldWord(word: string): string {
  return word.normalize('NFC').trim().toLowerCase();
}

/**
 * Returns the reader of a word from a closed list. An empty cell needs the word `''`.
 * @param words what each stands for
 */
export function wordCell<Meaning>(
  title: Title,
  words: readonly (readonly [string, Meaning])[],
  placeOf: PlaceOf,
): (cells: readonly string[], report: CellReport) => Meaning | undefined {
  const read = usedCell(title, placeOf, { monthNames: true });
  const folded = new Map(words.map(([word, meaning]) => [foldWord(word), meaning]));
  // Most cells are written as listed, so they need no folding.
  const meanings = new Map([...folded, ...words]);
  return (cells, report) => {
    const cell = read(cells, report);
    if (cell === undefined) return undefined;
    return meanings.get(cell) ?? folded.get(foldWord(cell)) ?? misfit(unlisted(cell), title, report);
  };
}

function unlisted(word: string): Misfit {
  if (word === '') return { code: 'CELL_EMPTY' };
  return { code: 'WORD_UNLISTED', detail: `"${shortWord(word)}"` };
}

/** Masks before it cuts, so that no beginning of a number stays. Long cells are cut first, far behind the end. */
function shortWord(word: string): string {
  const characters = [...maskText(word.slice(0, 10 * LONGEST_SHOWN))];
  return characters.length > LONGEST_SHOWN
    ? `${characters.slice(0, LONGEST_SHOWN - 1).join('')}…`
    : characters.join('');
}

const LONGEST_SHOWN = 40;

/**
 * Returns whether a cell is this word.
 * @returns a function that sees nearly always from the first character that it is not
 */
export function wordMatcher(word: string): (cell: string) => boolean {
  const wanted = foldWord(word);
  const mayStart = firstLetterTest(wanted);
  return (cell) => cell === word || (mayStart(cell) && foldWord(cell) === wanted);
}

/** Returns whether a cell begins with a text, which may end with a blank. */
export function startMatcher(start: string): (cell: string) => boolean {
  const wanted = start.trimStart().normalize('NFC').toLowerCase();
  const mayStart = firstLetterTest(wanted);
  return (cell) => mayStart(cell) && cell.trimStart().normalize('NFC').toLowerCase().startsWith(wanted);
}

/** Folding keeps ASCII letters apart from each other, so two different ones need no folding. */
function firstLetterTest(wanted: string): (cell: string) => boolean {
  const first = wanted.charCodeAt(0);
  return (cell) => {
    const code = cell.charCodeAt(0);
    const lower = code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
    return !(lower > 0x20 && lower < 0x7f && first < 0x7f) || lower === first;
  };
}

/**
 * Returns whether a cell is one of these words.
 * @returns a function that finds a word written as in the profile without folding it
 */
export function wordLookup<Meaning>(words: ReadonlyMap<string, Meaning>): (cell: string) => Meaning | undefined {
  const folded = new Map([...words].map(([word, meaning]) => [foldWord(word), meaning]));
  return (cell) => words.get(cell) ?? folded.get(foldWord(cell));
}
