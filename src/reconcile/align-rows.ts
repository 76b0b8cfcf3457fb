/** An entry of two aligned lists. Where they differ, one side may be missing. */
export type Aligned<Left, Right> = { left: Left | undefined; right: Right | undefined; isSame: boolean };

/** Most comparisons of each entry with each; larger lists are paired in order. */
const MOST_COMPARISONS = 1_000_000;

/**
 * Aligns two lists so that as many entries as possible stand beside their match. A missing row then shows as one gap,
 * not as a difference in every later row. Between matches, the other entries are paired in order.
 */
export function alignRows<Left, Right>(
  lefts: readonly Left[],
  rights: readonly Right[],
  isSame: (left: Left, right: Right) => boolean,
): Aligned<Left, Right>[] {
  const shorter = Math.min(lefts.length, rights.length);
  let head = 0;
  while (head < shorter && isSame(lefts[head]!, rights[head]!)) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(lefts.at(-1 - tail)!, rights.at(-1 - tail)!)) tail += 1;
  const middleLefts = lefts.slice(head, lefts.length - tail);
  const middleRights = rights.slice(head, rights.length - tail);
  return [
    ...pairUp(lefts.slice(0, head), rights.slice(0, head), true),
    ...alignMiddle(middleLefts, middleRights, isSame),
    ...pairUp(lefts.slice(lefts.length - tail), rights.slice(rights.length - tail), true),
  ];
}

function alignMiddle<Left, Right>(
  lefts: readonly Left[],
  rights: readonly Right[],
  isSame: (left: Left, right: Right) => boolean,
): Aligned<Left, Right>[] {
  if (lefts.length * rights.length > MOST_COMPARISONS) {
    return pairUp(lefts, rights, false).map((pair) => ({
      ...pair,
      isSame: pair.left !== undefined && pair.right !== undefined && isSame(pair.left, pair.right),
    }));
  }
  const longest = longestCommon(lefts, rights, isSame);
  const aligned: Aligned<Left, Right>[] = [];
  let from = { left: 0, right: 0 };
  for (const fit of [...longest, { left: lefts.length, right: rights.length }]) {
    aligned.push(...pairUp(lefts.slice(from.left, fit.left), rights.slice(from.right, fit.right), false));
    if (fit.left < lefts.length) aligned.push({ left: lefts[fit.left], right: rights[fit.right], isSame: true });
    from = { left: fit.left + 1, right: fit.right + 1 };
  }
  return aligned;
}

/** Returns the positions of the longest common subsequence. */
function longestCommon<Left, Right>(
  lefts: readonly Left[],
  rights: readonly Right[],
  isSame: (left: Left, right: Right) => boolean,
): { left: number; right: number }[] {
  const width = rights.length + 1;
  const fits = lefts.map((left) => rights.map((right) => isSame(left, right)));
  const lengths = new Uint32Array((lefts.length + 1) * width);
  for (let i = lefts.length - 1; i >= 0; i--) {
    for (let j = rights.length - 1; j >= 0; j--) {
      const below = lengths[(i + 1) * width + j]!;
      const beside = lengths[i * width + j + 1]!;
      lengths[i * width + j] = fits[i]![j] ? lengths[(i + 1) * width + j + 1]! + 1 : Math.max(below, beside);
    }
  }
  const places: { left: number; right: number }[] = [];
  for (let i = 0, j = 0; i < lefts.length && j < rights.length; ) {
    if (fits[i]![j]) places.push({ left: i++, right: j++ });
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i += 1;
    else j += 1;
  }
  return places;
}

function pairUp<Left, Right>(
  lefts: readonly Left[],
  rights: readonly Right[],
  isSame: boolean,
): Aligned<Left, Right>[] {
  const length = Math.max(lefts.length, rights.length);
  return Array.from({ length }, (_, index) => ({ left: lefts[index], right: rights[index], isSame }));
}
