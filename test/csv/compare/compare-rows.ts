import { checkByBytes } from './check-by-bytes.ts';
import { type Compared, compareFile } from './compare-file.ts';

export type Comparison = {
  /** Of the first file; each further file has the next one. */
  readonly seed: number;
  /** How many are compared at least. */
  readonly rows: number;
  /** Of one file. */
  readonly largestRows: number;
  /** Tests hand in a check that overlooks something, or one by two threads. */
  readonly check?: typeof checkByBytes;
};

/** All that were compared, and what came of the last file. */
export type ComparedRows = { readonly rows: number; readonly valid: number; readonly last: Compared };

/** Compares files until so many rows were compared, or one is read otherwise. */
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
