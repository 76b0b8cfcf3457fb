import { type MadeFile, ORDINARY } from '../files/card-file.ts';
import type { Sample } from '../measure/record.ts';
import { runProgram } from '../measure/run-program.ts';
import { startStopWatch } from '../measure/processor-time.ts';
import { type Contestant, takeTurns } from '../measure/take-turns.ts';
import { startDaemon } from '../world/daemon.ts';
import type { Installation } from '../world/installation.ts';
import { countResults, waitForOutputs } from '../world/wait-for-outputs.ts';
import type { Bench, Part } from './part.ts';
import { withInstallation, withService } from './surroundings.ts';

/** The whole way: `paydrop start` with its ledger, beside a script that keeps everything in memory. */
export const dropToResult: Part = {
  name: 'drop-to-result',
  about: 'from the claim of one file to its last output, everything durable, beside the whole afternoon script',
  measure: (bench) => {
    const contestants = bench.plan.sizes.dropToResult.flatMap((rows) =>
      bench.plan.batchRows.flatMap((maxRows) => {
        const job = { part: 'drop-to-result', files: 1, rows, maxRows };
        return [afternoonOn(bench, job), paydropOn(bench, job)];
      }),
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
      const job = { part: 'over-sandbox', files: 1, rows, maxRows: bench.plan.batchRows[0]!, service };
      return [afternoonOn(bench, job), paydropOn(bench, job)];
    });
    return takeTurns(contestants, bench.plan.rounds, bench.say);
  },
};

/** Files of `rows` rows each, all dropped at once. */
export type Job = {
  part: string;
  files: number;
  rows: number;
  maxRows: number;
  service?: string;
  nodeFlags?: readonly string[];
};

/** Above Node's default, which is too small for the script to process a million rows. */
export const HEAP_MB = 8_192;

export function paydropOn(bench: Bench, job: Job): Contestant {
  return {
    about: { ...aboutOf(job), subject: 'paydrop' },
    run: async () => {
      const made = await makeFiles(bench, job);
      return withService(
        bench,
        ({ url: serviceUrl }) =>
          withInstallation({ serviceUrl, maxRows: job.maxRows }, (place) => dropAll(bench, place, made, job.nodeFlags)),
        job.service,
      );
    },
  };
}

async function dropAll(
  { programs }: Bench,
  place: Installation,
  made: readonly MadeFile[],
  nodeFlags?: readonly string[],
): Promise<Sample> {
  await place.bring(made.map(({ path }) => path));
  const daemon = await startDaemon(programs.paydrop, place.root, nodeFlags);
  try {
    let stopWatch = startStopWatch(daemon.pid, place.root);
    let started = performance.now();
    await place.drop();
    // Settings decide how soon a drop is claimed, so one file is timed from its claim. Many are timed from the drop.
    if (made.length === 1) {
      await place.claimed();
      stopWatch = startStopWatch(daemon.pid, place.root);
      started = performance.now();
    }
    await waitForOutputs(place.out, made.length).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${daemon.lastWords()}`);
    });
    const seconds = (performance.now() - started) / 1_000;
    const processorTime = stopWatch();
    await expectRows(place.out, made, (file) => file.rows);
    return { seconds, peakMb: await daemon.stop(), figures: { files: made.length, ...processorTime } };
  } finally {
    await daemon.stop();
  }
}

export function afternoonOn(bench: Bench, job: Job): Contestant {
  const program = bench.programs.of('peers/afternoon');
  return {
    about: { ...aboutOf(job), subject: 'afternoon script' },
    run: async () => {
      const made = await makeFiles(bench, job);
      return withService(
        bench,
        ({ url }) =>
          bench.withFolder(async (out) => {
            const options = ['--service', url, '--batch', String(job.maxRows), '--out', out];
            const sample = await runProgram(program, [...options, ...made.map(({ path }) => path)], {
              heapMb: HEAP_MB,
            });
            await expectRows(out, made, (file) => file.rows - file.invalid);
            return { ...sample, figures: { ...sample.figures, files: made.length } };
          }),
        job.service,
      );
    },
  };
}

function aboutOf({ part, files, rows, maxRows }: Job) {
  return { part, condition: `batches of ${maxRows.toLocaleString('en-US')}`, rows: files * rows };
}

/** Makes the files, each with its own seed, because the same bytes would be refused as a duplicate. */
async function makeFiles({ file }: Bench, { files, rows }: Job): Promise<MadeFile[]> {
  const made = [];
  for (let seed = 1; seed <= files; seed += 1) made.push(await file({ ...ORDINARY, seed, rows }));
  return made;
}

async function expectRows(out: string, made: readonly MadeFile[], rowsOf: (file: MadeFile) => number): Promise<void> {
  const wanted = made.reduce((sum, file) => sum + rowsOf(file), 0);
  const found = await countResults(out);
  if (found !== wanted) throw new Error(`the results have ${found} rows and should have ${wanted}`);
}
