import { takeTurns } from '../measure/take-turns.ts';
import { contestantsOn } from './contestants.ts';
import type { Part } from './part.ts';

/** Many small files at once: the fixed cost of a file. */
export const smallFiles: Part = {
  name: 'small-files',
  about: 'many files of 10, 100 or 1,000 rows, all dropped at once, beside both peers',
  measure: (bench) => {
    const { smallFiles: conditions, rounds } = bench.plan;
    const contestants = conditions.flatMap(({ files, rows }) => {
      const condition = `${rows.toLocaleString('en-US')} rows each`;
      // One invalid row in a file of ten is a share of which paydrop would ask a person.
      const job = { part: 'small-files', condition, files, rows, maxBadPercent: 100 };
      return contestantsOn(bench, job);
    });
    return takeTurns(contestants, rounds, bench.say);
  },
};
