import { takeTurns } from '../measure/take-turns.ts';
import { afternoonOn, paydropOn } from './drop-to-result.ts';
import type { Part } from './part.ts';

/** Many small files at once: the fixed cost of a file. */
export const smallFiles: Part = {
  name: 'small-files',
  about: 'many files of a hundred rows, all dropped at once, beside the afternoon script on one after the other',
  measure: (bench) => {
    const { files, rows } = bench.plan.smallFiles;
    const job = { part: 'small-files', files, rows, maxRows: bench.plan.batchRows[0]! };
    return takeTurns([afternoonOn(bench, job), paydropOn(bench, job)], bench.plan.rounds, bench.say);
  },
};
