import { type MadeFile, ORDINARY } from '../files/card-file.ts';
import { startStopWatch } from '../measure/processor-time.ts';
import { AFTERNOON, DURABLE, type Sample } from '../measure/record.ts';
import { runProgram } from '../measure/run-program.ts';
import type { Contestant } from '../measure/take-turns.ts';
import { type Daemon, startDaemon } from '../world/daemon.ts';
import { PEER_BATCH, PEER_LAST_OUTPUT, withDurablePeer } from '../world/durable-peer.ts';
import type { Place } from '../world/installation.ts';
import { redisVersion } from '../world/redis.ts';
import { countResults, LAST_OUTPUT, waitForOutputs } from '../world/wait-for-outputs.ts';
import type { Bench } from './part.ts';
import { withInstallation, withService } from './surroundings.ts';

/** Files of `rows` rows each, all dropped at once. */
export type Job = {
  part: string;
  files: number;
  rows: number;
  /** What is the same for all contestants; by default `AS_INSTALLED`. */
  condition?: string;
  /** Above this share of invalid rows paydrop holds a file; 10 by default. */
  maxBadPercent?: number;
  service?: string;
  nodeFlags?: readonly string[];
};

/** paydrop's batches follow the file, those of the peers have `PEER_BATCH` rows. */
export const AS_INSTALLED = 'as installed';

/** Above Node's default, which is too small for the script to process a million rows. */
export const HEAP_MB = 8_192;

/** All that take turns on a job. */
export function contestantsOn(bench: Bench, job: Job): Contestant[] {
  return [afternoonOn(bench, job), durableOn(bench, job), paydropOn(bench, job)];
}

export function paydropOn(bench: Bench, job: Job): Runnable {
  return {
    about: { ...aboutOf(job), subject: 'paydrop' },
    run: async () => {
      const made = await makeFiles(bench, job);
      const { maxBadPercent } = job;
      return withService(
        bench,
        ({ url: serviceUrl }) =>
          withInstallation({ serviceUrl, ...(maxBadPercent !== undefined && { maxBadPercent }) }, (place) =>
            dropAll(place, made, {
              start: () => startDaemon(programOf(bench, job), place.root, job.nodeFlags),
              lastOutput: LAST_OUTPUT,
              rowsOf: (file) => file.rows,
            }),
          ),
        job.service,
      );
    },
  };
}

function programOf({ programs }: Bench, { part }: Job): string {
  return part === 'profile' ? programs.modules : programs.paydrop;
}

/** A contestant that needs nothing but what npm installs. */
type Runnable = Extract<Contestant, { leftOut?: never }>;

/** The peer that survives a crash. It needs a Redis, which no npm package brings. */
export function durableOn(bench: Bench, job: Job): Contestant {
  const about = { ...aboutOf(job), subject: DURABLE };
  if (redisVersion() === undefined) return { about, leftOut: NO_REDIS };
  const program = bench.programs.of('peers/durable');
  return {
    about,
    run: async () => {
      const made = await makeFiles(bench, job);
      return withService(
        bench,
        ({ url: serviceUrl }) =>
          withDurablePeer({ program, serviceUrl }, (place, start) =>
            dropAll(place, made, {
              start: () => start(job.nodeFlags),
              lastOutput: PEER_LAST_OUTPUT,
              rowsOf: (file) => file.rows - file.invalid,
            }),
          ),
        job.service,
      );
    },
  };
}

export const NO_REDIS = 'redis-server is not installed';

/** A program that runs until it is stopped, and what it makes of files. */
export type Runner = { start(): Promise<Daemon>; lastOutput: string; rowsOf(file: MadeFile): number };

async function dropAll(place: Place, made: readonly MadeFile[], runner: Runner): Promise<Sample> {
  const { lastOutput, rowsOf } = runner;
  await place.bring(made.map(({ path }) => path));
  const daemon = await runner.start();
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
    await waitForOutputs(place.out, made.length, { lastOutput }).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${daemon.lastWords()}`);
    });
    const seconds = (performance.now() - started) / 1_000;
    const processorTime = stopWatch();
    await expectRows(place.out, made, rowsOf);
    return { seconds, peakMb: await daemon.stop(), figures: { files: made.length, ...processorTime } };
  } finally {
    await daemon.stop();
  }
}

export function afternoonOn(bench: Bench, job: Job): Contestant {
  const program = bench.programs.of('peers/afternoon');
  return {
    about: { ...aboutOf(job), subject: AFTERNOON },
    run: async () => {
      const made = await makeFiles(bench, job);
      return withService(
        bench,
        ({ url }) =>
          bench.withFolder(async (out) => {
            const options = ['--service', url, '--batch', String(PEER_BATCH), '--out', out];
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

function aboutOf({ part, files, rows, condition = AS_INSTALLED }: Job) {
  return { part, condition, rows: files * rows };
}

/** Makes the files, each with its own seed, because the same bytes would be refused as a duplicate. */
async function makeFiles({ file }: Bench, { files, rows }: Job): Promise<MadeFile[]> {
  const made = [];
  for (let seed = 1; seed <= files; seed += 1) made.push(await file({ ...ORDINARY, seed, rows }));
  return made;
}

export async function expectRows(
  out: string,
  made: readonly MadeFile[],
  rowsOf: (file: MadeFile) => number,
): Promise<void> {
  const wanted = made.reduce((sum, file) => sum + rowsOf(file), 0);
  const found = await countResults(out);
  if (found !== wanted) throw new Error(`the results have ${found} rows and should have ${wanted}`);
}
