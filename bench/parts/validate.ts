import { type CardFileShape, ORDINARY } from '../files/card-file.ts';
import { runProgram } from '../measure/run-program.ts';
import { type Contestant, takeTurns } from '../measure/take-turns.ts';
import type { Bench, Part } from './part.ts';

/** The check of a file, beside readers that check nothing and beside the bare cost of reading. */
export const validate: Part = {
  name: 'validate',
  about: 'checking card files: every rule, totals, hash and the bytes to send',
  async measure(bench) {
    const { plan } = bench;
    const contestants: Contestant[] = [];
    for (const rows of plan.sizes.validate) {
      contestants.push(...(await contestantsOf(bench, 'ordinary', { ...ORDINARY, rows }, plan.isQuick ? FEW : ALL)));
    }
    const rows = plan.sizes.validate.at(-1)!;
    if (!plan.isQuick)
      for (const [condition, shape] of Object.entries(ODD_FILES))
        contestants.push(...(await contestantsOf(bench, condition, { ...ORDINARY, ...shape, rows }, FEW)));
    return takeTurns(contestants, plan.rounds, bench.say);
  },
};

const PROGRAMS: Readonly<Record<string, string>> = {
  paydrop: 'programs/check-file',
  floor: 'peers/floor',
  'csv-parse': 'peers/bare-csv-parse',
  papaparse: 'peers/papaparse',
  'fast-csv': 'peers/fast-csv',
};
const ALL = Object.keys(PROGRAMS);
const FEW = ['paydrop', 'floor', 'csv-parse'];

/** The best case, and the worst cases for a check tuned for ordinary files. */
const ODD_FILES: Readonly<Record<string, Partial<CardFileShape>>> = {
  'nothing quoted': { quoted: 0 },
  'half of the rows invalid': { invalid: 0.5 },
  'every field quoted': { quotesAll: true },
};

async function contestantsOf(
  { programs, file }: Bench,
  condition: string,
  shape: CardFileShape,
  subjects: readonly string[],
): Promise<Contestant[]> {
  const made = await file(shape);
  return subjects.map((subject) => ({
    about: { part: 'validate', subject, condition, rows: shape.rows },
    run: async () => {
      const sample = await runProgram(programs.of(PROGRAMS[subject]!), [made.path]);
      const { rows = made.rows, invalid = made.invalid } = sample.figures;
      if (rows !== made.rows || invalid !== made.invalid)
        throw new Error(
          `${subject} found ${rows} rows, ${invalid} of them invalid; there are ${made.rows} and ${made.invalid}`,
        );
      return sample;
    },
  }));
}
