import { ORDINARY } from '../files/card-file.ts';
import { runProgram } from '../measure/run-program.ts';
import { type Contestant, takeTurns } from '../measure/take-turns.ts';
import { AS_INSTALLED } from './contestants.ts';
import type { Bench, Part } from './part.ts';
import { withInstallation, withService } from './surroundings.ts';

/** The gate that does not ask what was learned after a file was decided. */
export const UNASKED = 'without the questions';

/** What it costs to ask, right before each send, what was learned after a file was decided. */
export const gate: Part = {
  name: 'gate',
  about: 'from intake to result with and without the questions of the gate about what was learned late',
  measure: (bench) => takeTurns([worked(bench, false), worked(bench, true)], bench.plan.rounds, bench.say),
};

function worked(bench: Bench, unasked: boolean): Contestant {
  const { files, rows } = bench.plan.gate;
  return {
    about: { part: gate.name, subject: 'paydrop', condition: unasked ? UNASKED : AS_INSTALLED, rows: files * rows },
    run: async () => {
      const made: string[] = [];
      for (let seed = 1; seed <= files; seed += 1) made.push((await bench.file({ ...ORDINARY, seed, rows })).path);
      return withService(bench, ({ url: serviceUrl }) =>
        withInstallation({ serviceUrl, maxBadPercent: 100 }, ({ root }) =>
          runProgram(bench.programs.of('programs/gate'), ['--root', root, ...(unasked ? ['--unasked'] : []), ...made]),
        ),
      );
    },
  };
}
