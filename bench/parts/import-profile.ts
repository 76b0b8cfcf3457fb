import { ORDINARY } from '../files/card-file.ts';
import { runProgram } from '../measure/run-program.ts';
import { type Contestant, takeTurns } from '../measure/take-turns.ts';
import type { Bench, Part } from './part.ts';
import { withInstallation, withService } from './surroundings.ts';

/** The same rows twice. All are valid, because one that a profile cannot read would hold the file. */
export const importProfile: Part = {
  name: 'import-profile',
  about: 'intake of a file that an import profile reads, beside the same rows in the layout',
  measure: (bench) => {
    const { sizes, rounds } = bench.plan;
    const contestants = sizes.stations.flatMap((rows) => [takenIn(bench, rows, false), takenIn(bench, rows, true)]);
    return takeTurns(contestants, rounds, bench.say);
  },
};

function takenIn(bench: Bench, rows: number, byProfile: boolean): Contestant {
  const condition = byProfile ? 'by an import profile' : 'in the layout';
  return {
    about: { part: importProfile.name, subject: 'paydrop', condition, rows },
    run: async () => {
      const { path } = await bench.file({ ...ORDINARY, invalid: 0, rows, ...(byProfile && { isTitled: true }) });
      return withService(bench, ({ url: serviceUrl }) =>
        withInstallation({ serviceUrl, byProfile }, ({ root }) => {
          const words = ['--root', root, '--file', path, '--until', 'intake', ...(byProfile ? ['--profile'] : [])];
          return runProgram(bench.programs.of('programs/stations'), words);
        }),
      );
    },
  };
}
