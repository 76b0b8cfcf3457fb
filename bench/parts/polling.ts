import { ORDINARY } from '../files/card-file.ts';
import { runProgram } from '../measure/run-program.ts';
import { takeTurns } from '../measure/take-turns.ts';
import { withInstallation, withService } from './surroundings.ts';
import type { Part } from './part.ts';

/** Whether the cost of one poll grows with the number of waiting batches. */
export const polling: Part = {
  name: 'polling',
  about: 'one question for a result while many batches wait for theirs',
  async measure(bench) {
    const { path } = await bench.file({ ...ORDINARY, rows: 100 });
    const contestants = bench.plan.openBatches.map((open) => ({
      about: { part: 'polling', subject: 'paydrop', condition: 'batches that wait', rows: open },
      run: () =>
        withService(bench, async (service) => {
          await service.hold();
          return withInstallation({ serviceUrl: service.url }, ({ root }) => {
            const words = ['--root', root, '--file', path, '--open', String(open)];
            return runProgram(bench.programs.of('programs/polling'), words);
          });
        }),
    }));
    return takeTurns(contestants, bench.plan.rounds, bench.say);
  },
};
