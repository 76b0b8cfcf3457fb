import { foldWord } from '../words-rule.ts';

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
