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
