import type { Programs } from '../build-programs.ts';
import type { CardFileShape, MadeFile } from '../files/card-file.ts';
import type { Measurement } from '../measure/record.ts';

/** What a part works with. */
export type Bench = {
  readonly programs: Programs;
  readonly plan: Plan;
  /** Makes a file, or returns the one made before. */
  file(shape: CardFileShape): Promise<MadeFile>;
  /** Runs the work with a new folder, then removes it. */
  withFolder<Result>(work: (path: string) => Promise<Result>): Promise<Result>;
  say(text: string): void;
};

/** How much is measured. */
export type Plan = {
  readonly rounds: number;
  /** Rows of the files of each part, in ascending order. */
  readonly sizes: Readonly<Record<'validate' | 'stations' | 'dropToResult' | 'overSandbox', readonly number[]>>;
  /** Rows per batch, the same for both sides. */
  readonly batchRows: readonly number[];
  readonly smallFiles: { readonly files: number; readonly rows: number };
  readonly openBatches: readonly number[];
  readonly ledgerRows: number;
  /** Whether to measure only what the guard compares. */
  readonly isQuick: boolean;
};

export type Part = { readonly name: string; readonly about: string; measure(bench: Bench): Promise<Measurement[]> };
