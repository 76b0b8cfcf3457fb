/**
 * Returns what a user probably meant: the candidate that differs in few letters, or only in case; undefined if none
 * does. At most a third of the letters may differ.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.slice(0, LONGEST).toLowerCase();
  let best: string | undefined;
  let least = Math.floor(typed.length / 3) + 1;
  for (const candidate of candidates) {
    const distance = distanceOf(typed, candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Far longer than any name; comparing takes time by length. */
const LONGEST = 60;

/** Returns ` (did you mean "x"?)` for the end of a fault, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}

/** Counts how many letters to insert, remove, replace or swap with the next. */
function distanceOf(one: string, other: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const costs = [last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1)];
      row.push(Math.min(...costs, isSwapped ? beforeLast[j - 2]! + 1 : Infinity));
    }
    [beforeLast, last] = [last, row];
  }
  return last[other.length]!;
}
