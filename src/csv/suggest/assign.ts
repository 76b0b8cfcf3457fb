/**
 * Assigns each row of a table of scores its own column, so that the sum of the scores is the greatest (the Hungarian
 * method). There are at least as many columns as rows.
 * @returns the column of each row
 */
export function assign(scores: readonly (readonly number[])[]): number[] {
  const width = scores[0]?.length ?? 0;
  const rowOf = Array<number>(width + 1).fill(-1);
  const rowPrice = Array<number>(scores.length).fill(0);
  const columnPrice = Array<number>(width + 1).fill(0);
  for (let row = 0; row < scores.length; row += 1) extendMatching(row, { scores, rowOf, rowPrice, columnPrice });
  const assigned = Array<number>(scores.length).fill(-1);
  rowOf.slice(0, width).forEach((row, column) => {
    if (row >= 0) assigned[row] = column;
  });
  return assigned;
}

/** Prices under which no pair costs less than nothing; the pairs that cost nothing may be matched. */
type Matching = {
  readonly scores: readonly (readonly number[])[];
  /** Row of each column; the last column stands for the row that is being added. */
  readonly rowOf: number[];
  readonly rowPrice: number[];
  readonly columnPrice: number[];
};

/** Adds a row by the cheapest chain of exchanges that ends at a free column. */
function extendMatching(added: number, { scores, rowOf, rowPrice, columnPrice }: Matching): void {
  const start = rowOf.length - 1;
  const least = Array<number>(start).fill(Infinity);
  const before = Array<number>(start).fill(start);
  const seen = new Set<number>();
  rowOf[start] = added;
  let column = start;
  while (rowOf[column]! >= 0) {
    seen.add(column);
    const row = rowOf[column]!;
    let next = -1;
    for (let other = 0; other < start; other += 1) {
      if (seen.has(other)) continue;
      const cost = -scores[row]![other]! - rowPrice[row]! - columnPrice[other]!;
      if (cost < least[other]!) [least[other], before[other]] = [cost, column];
      if (next < 0 || least[other]! < least[next]!) next = other;
    }
    const step = least[next]!;
    for (const used of seen) {
      rowPrice[rowOf[used]!]! += step;
      columnPrice[used]! -= step;
    }
    for (let other = 0; other < start; other += 1) if (!seen.has(other)) least[other]! -= step;
    column = next;
  }
  while (column !== start) {
    rowOf[column] = rowOf[before[column]!]!;
    column = before[column]!;
  }
  rowOf[start] = -1;
}
