import type { Plan } from './parts/part.ts';

/** Everything, up to a million rows: some 40 minutes on two cores. */
const FULL: Plan = {
  rounds: 3,
  sizes: {
    validate: [10_000, 100_000, 1_000_000],
    stations: [100_000, 1_000_000],
    dropToResult: [10_000, 100_000, 1_000_000],
    overSandbox: [10_000, 100_000],
  },
  // As many as the durable peer takes in some seven seconds.
  smallFiles: [
    { files: 600, rows: 10 },
    { files: 500, rows: 100 },
    { files: 100, rows: 1_000 },
  ],
  gate: { files: 300, rows: 100 },
  night: { files: 3_000, accounts: 20, largest: 100_000 },
  answers: { calls: 1_000, connectMs: 300 },
  openBatches: [1, 1_000, 10_000],
  ledgerRows: 10_000_000,
  isQuick: false,
};

/** Some three minutes, for the guard. */
const QUICK: Plan = {
  ...FULL,
  sizes: { validate: [500_000], stations: [100_000], dropToResult: [20_000], overSandbox: [] },
  smallFiles: [{ files: 200, rows: 100 }],
  isQuick: true,
};

type Options = {
  isQuick: boolean;
  rounds?: number | undefined;
  /** The largest file. */
  rows?: number | undefined;
  /** The ledger of `questions`; left out, at most ten times the largest file. */
  ledgerRows?: number | undefined;
};

export function makePlan(options: Options): Plan {
  const plan = options.isQuick ? QUICK : FULL;
  const { rounds = plan.rounds, rows } = options;
  if (rows === undefined) return { ...plan, rounds, ledgerRows: options.ledgerRows ?? plan.ledgerRows };
  const sizes = Object.fromEntries(Object.entries(plan.sizes).map(([part, own]) => [part, atMost(own, rows)]));
  return {
    ...plan,
    rounds,
    sizes: sizes as Plan['sizes'],
    night: { ...plan.night, largest: Math.min(plan.night.largest, rows) },
    ledgerRows: options.ledgerRows ?? Math.min(plan.ledgerRows, rows * 10),
  };
}

/** Caps the sizes. A limit never removes all sizes of a part. */
function atMost(sizes: readonly number[], rows: number): readonly number[] {
  return [...new Set(sizes.map((size) => Math.min(size, rows)))];
}
