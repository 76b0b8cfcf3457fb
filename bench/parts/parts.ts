import { ORDINARY } from '../files/card-file.ts';
import { runProgram } from '../measure/run-program.ts';
import { takeTurns } from '../measure/take-turns.ts';
import { gate } from './gate.ts';
import { answers } from './answers.ts';
import { dropToResult, overSandbox } from './drop-to-result.ts';
import { night } from './night.ts';
import type { Part } from './part.ts';
import { importProfile } from './import-profile.ts';
import { profile } from './profile.ts';
import { smallFiles } from './small-files.ts';
import { start } from './start.ts';
import { stations } from './stations.ts';
import { validate } from './validate.ts';
import { withInstallation, withService } from './surroundings.ts';

/** Whether the cost of one poll grows with the number of waiting batches. */
const polling: Part = {
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

/** Typical user queries on a ledger that has grown for years. One round, because filling it takes minutes. */
const questions: Part = {
  name: 'questions',
  about: 'what people ask of a large ledger: an invoice, the status, the front page of the dashboard',
  async measure(bench) {
    const { path } = await bench.file({ ...ORDINARY, rows: 100 });
    const rows = bench.plan.ledgerRows;
    const contestant = {
      about: { part: 'questions', subject: 'paydrop', condition: 'rows in the ledger', rows },
      run: () =>
        withService(bench, (service) =>
          withInstallation({ serviceUrl: service.url }, ({ root }) => {
            const words = ['--root', root, '--file', path, '--rows', String(rows)];
            return runProgram(bench.programs.of('programs/questions'), words);
          }),
        ),
    };
    return takeTurns([contestant], 1, bench.say);
  },
};

/** In the order in which they run and appear in the report. */
export const PARTS: readonly Part[] = [
  validate,
  stations,
  importProfile,
  dropToResult,
  smallFiles,
  gate,
  answers,
  night,
  start,
  polling,
  questions,
  overSandbox,
  profile,
];

/** The parts that the guard compares. */
export const QUICK_PARTS: readonly Part[] = [validate, stations, importProfile, dropToResult, smallFiles];
