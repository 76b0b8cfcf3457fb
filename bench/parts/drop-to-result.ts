import { takeTurns } from '../measure/take-turns.ts';
import { contestantsOn } from './contestants.ts';
import type { Part } from './part.ts';

/** The whole way: `paydrop start`, beside a script that keeps everything in memory and a peer that is as durable. */
export const dropToResult: Part = {
  name: 'drop-to-result',
  about: 'from the claim of one file to its last output, everything durable, beside both peers',
  measure: (bench) => {
    const contestants = bench.plan.sizes.dropToResult.flatMap((rows) =>
      contestantsOn(bench, { part: 'drop-to-result', files: 1, rows }),
    );
    return takeTurns(contestants, bench.plan.rounds, bench.say);
  },
};

/** The same over the sandbox, which judges and books each row. For information only: this takes longer than both. */
export const overSandbox: Part = {
  name: 'over-sandbox',
  about: 'from the drop of one file to its last output, over the sandbox of the product instead of the stand-in',
  measure: (bench) => {
    const service = 'programs/serve-sandbox';
    const contestants = bench.plan.sizes.overSandbox.flatMap((rows) => {
      return contestantsOn(bench, { part: 'over-sandbox', files: 1, rows, service });
    });
    return takeTurns(contestants, bench.plan.rounds, bench.say);
  },
};
