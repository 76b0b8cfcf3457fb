import { ORDINARY } from '../files/card-file.ts';
import { runProgram } from '../measure/run-program.ts';
import { type Contestant, takeTurns } from '../measure/take-turns.ts';
import { AS_INSTALLED, HEAP_MB } from './contestants.ts';
import type { Bench, Part } from './part.ts';
import { withInstallation, withService } from './surroundings.ts';

/** Each stage by itself; intake beside the parsing, checking and writing of the afternoon script. */
export const stations: Part = {
  name: 'stations',
  about: 'claim, intake, submit, poll and deliver one after the other, each timed, with the delay of the event loop',
  measure: (bench) => {
    const { plan } = bench;
    const contestants = plan.sizes.stations.flatMap((rows) => [prepared(bench, rows), worked(bench, rows)]);
    return takeTurns(contestants, plan.rounds, bench.say);
  },
};

/** Prepares without sending: parses, validates, cuts and serializes. */
function prepared({ programs, file }: Bench, rows: number): Contestant {
  return {
    about: { part: 'stations', subject: 'afternoon script', condition: 'parse, check, serialise', rows },
    run: async () => {
      const { path } = await file({ ...ORDINARY, rows });
      return runProgram(programs.of('peers/afternoon'), ['--prepare', path], { heapMb: HEAP_MB });
    },
  };
}

function worked(bench: Bench, rows: number): Contestant {
  const until = bench.plan.isQuick ? ['--until', 'intake'] : [];
  return {
    about: { part: 'stations', subject: 'paydrop', condition: AS_INSTALLED, rows },
    run: async () => {
      const { path } = await bench.file({ ...ORDINARY, rows });
      return withService(bench, ({ url: serviceUrl }) =>
        withInstallation({ serviceUrl }, ({ root }) =>
          runProgram(bench.programs.of('programs/stations'), ['--root', root, '--file', path, ...until]),
        ),
      );
    },
  };
}
