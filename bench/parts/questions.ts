import { ORDINARY } from '../files/card-file.ts';
import { runProgram } from '../measure/run-program.ts';
import { takeTurns } from '../measure/take-turns.ts';
import { withInstallation, withService } from './surroundings.ts';
import type { Part } from './part.ts';

/** Typical user queries on a ledger that has grown for years. One round, because filling it takes minutes. */
export const questions: Part = {
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
