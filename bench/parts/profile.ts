import { ORDINARY } from '../files/card-file.ts';
import { readProfiles } from '../measure/read-profile.ts';
import type { Sample } from '../measure/record.ts';
import { runProgram } from '../measure/run-program.ts';
import { type Contestant, takeTurns } from '../measure/take-turns.ts';
import { paydropOn } from './contestants.ts';
import type { Bench, Part } from './part.ts';

/** Runs under Node's profiler, which slows them down: shows what the time goes to, not how long it takes. */
export const profile: Part = {
  name: 'profile',
  about: 'what the time of paydrop goes to, as the profiler of Node says; one round',
  measure: (bench) => {
    const { sizes, smallFiles } = bench.plan;
    const way = (condition: string, job: { files: number; rows: number }) =>
      profiled(bench, condition, job.files * job.rows, (nodeFlags) =>
        paydropOn(bench, { part: 'profile', ...job, nodeFlags }).run(),
      );
    const rows = sizes.dropToResult.at(-1)!;
    const usual = smallFiles.find((files) => files.rows === USUAL_SMALL) ?? smallFiles[0]!;
    const contestants = [
      checking(bench, sizes.validate.at(-1)!),
      way('drop to result', { files: 1, rows }),
      way('small files', usual),
    ];
    return takeTurns(contestants, 1, bench.say);
  },
};

/** What an accounting department drops most often. */
const USUAL_SMALL = 100;

function checking(bench: Bench, rows: number): Contestant {
  return profiled(bench, 'checking', rows, async (nodeFlags) => {
    const { path } = await bench.file({ ...ORDINARY, rows });
    return runProgram(bench.programs.of('programs/check-file'), [path], { nodeFlags });
  });
}

function profiled(
  bench: Bench,
  condition: string,
  rows: number,
  run: (nodeFlags: readonly string[]) => Promise<Sample>,
): Contestant {
  return {
    about: { part: 'profile', subject: 'paydrop', condition, rows },
    run: () =>
      bench.withFolder(async (dir) => {
        const sample = await run(['--cpu-prof', `--cpu-prof-dir=${dir}`]);
        const spent = [...(await readProfiles(dir))].flatMap(([owner, { allMs, nativeMs }]) => [
          [`${owner} allMs`, allMs],
          [`${owner} nativeMs`, nativeMs],
        ]);
        return { ...sample, figures: Object.fromEntries(spent) };
      }),
  };
}
