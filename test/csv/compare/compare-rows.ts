import { checkByBytes } from './check-by-bytes.ts';
import { type Compared, compareFile } from './compare-file.ts';

export type Comparison = {
  /** Seed of the first file; each further file takes the next one. */
  readonly seed: number;
  /** Least number of rows to compare. */
  readonly rows: number;
  /** Of one file. */
  readonly largestRows: number;
  /** Lets tests pass a check that overlooks something. */
  readonly check?: typeof checkByBytes;
};

/** Totals of all files compared, and the result of the last one. */
export type ComparedRows = { readonly rows: number; readonly valid: number; readonly last: Compared };

/** Compares files until enough rows were compared, or one file differs. */
export async function compareRows(comparison: Comparison): Promise<ComparedRows> {
  const { largestRows, check = checkByBytes } = comparison;
  const sum = { rows: 0, valid: 0 };
  for (let { seed } = comparison; ; seed += 1) {
    const last = await compareFile(seed, largestRows, check);
    sum.rows += last.rows;
    sum.valid += last.valid;
    if (last.difference !== undefined || sum.rows >= comparison.rows) return { ...sum, last };
  }
}
