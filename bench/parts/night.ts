import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type NightFile, planNight } from '../files/night.ts';
import { type MadeFile, ORDINARY } from '../files/card-file.ts';
import { startStopWatch } from '../measure/processor-time.ts';
import { DURABLE, type Sample } from '../measure/record.ts';
import { median, percentile } from '../measure/statistics.ts';
import { type Contestant, takeTurns } from '../measure/take-turns.ts';
import { startDaemon } from '../world/daemon.ts';
import { PEER_LAST_OUTPUT, withDurablePeer } from '../world/durable-peer.ts';
import type { Place } from '../world/installation.ts';
import { redisVersion } from '../world/redis.ts';
import { LAST_OUTPUT } from '../world/wait-for-outputs.ts';
import { expectRows, NO_REDIS, type Runner } from './contestants.ts';
import type { Bench, Part } from './part.ts';
import { withInstallation, withService } from './surroundings.ts';

/** A night of files of many sizes for many accounts, with the waits between them left out. */
export const night: Part = {
  name: 'night',
  about: 'files of 1 to 100,000 rows for 20 accounts as they arrive in a night, without the waits; one round',
  measure: (bench) => takeTurns([durableAtNight(bench), paydropAtNight(bench)], 1, bench.say),
};

function paydropAtNight(bench: Bench): Contestant {
  const { accounts } = bench.plan.night;
  return {
    about: { ...aboutOf(bench), subject: 'paydrop' },
    run: () =>
      withService(bench, ({ url: serviceUrl }) =>
        withInstallation({ serviceUrl, maxBadPercent: 100, accounts }, (place) =>
          passNight(bench, place, {
            start: () => startDaemon(bench.programs.paydrop, place.root),
            lastOutput: LAST_OUTPUT,
            rowsOf: (file) => file.rows,
          }),
        ),
      ),
  };
}

function durableAtNight(bench: Bench): Contestant {
  const about = { ...aboutOf(bench), subject: DURABLE };
  if (redisVersion() === undefined) return { about, leftOut: NO_REDIS };
  const program = bench.programs.of('peers/durable');
  const { accounts } = bench.plan.night;
  return {
    about,
    run: () =>
      withService(bench, ({ url: serviceUrl }) =>
        withDurablePeer({ program, serviceUrl, accounts }, (place, start) =>
          passNight(bench, place, {
            start,
            lastOutput: PEER_LAST_OUTPUT,
            rowsOf: (file) => file.rows - file.invalid,
          }),
        ),
      ),
  };
}

function aboutOf({ plan }: Bench) {
  const { files, accounts } = plan.night;
  const rows = planNight(plan.night).reduce((sum, file) => sum + file.rows, 0);
  return { part: 'night', condition: `${files.toLocaleString('en-US')} files for ${accounts} accounts`, rows };
}

async function passNight(bench: Bench, place: Place, runner: Runner): Promise<Sample> {
  const planned = planNight(bench.plan.night);
  const made: MadeFile[] = [];
  for (const { seed, rows } of planned)
    made.push(await bench.file({ ...ORDINARY, seed, rows, ...(rows < FEW_ROWS && { invalid: 0 }) }));
  await place.bring(made.map(({ path }) => path));
  const files = planned.map((file, index) => ({ ...file, name: basename(made[index]!.path) }));
  const daemon = await runner.start();
  try {
    const stopWatch = startStopWatch(daemon.pid, place.root);
    const started = Date.now();
    const droppedAt = await dropInGroups(place, files, runner.lastOutput).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${daemon.lastWords()}`);
    });
    const processorTime = stopWatch();
    const endedAt = await readEnds(place.out, runner.lastOutput);
    await expectRows(place.out, made, runner.rowsOf);
    const took = [...droppedAt].map(([stem, at]) => (endedAt.get(stem)! - at) / 1_000);
    const seconds = (Math.max(...endedAt.values()) - started) / 1_000;
    const figures = {
      files: files.length,
      medianSeconds: median(took),
      p99Seconds: percentile(took, 0.99),
      ...processorTime,
    };
    return { seconds, peakMb: await daemon.stop(), figures };
  } finally {
    await daemon.stop();
  }
}

/** Below this all rows are valid, because a file without a valid row would be refused. */
const FEW_ROWS = 10;

const GROUP = 50;
/** A group is dropped when at most so many files lack their result: the same backlog for all, and always work. */
const MOST_OPEN = 50;
const LOOK_MS = 10;
const PATIENCE_MS = 120_000;

/** Drops the files in the order of their arrival and waits for all results. @returns when each was dropped, in ms */
async function dropInGroups(
  place: Place,
  files: readonly (NightFile & { name: string })[],
  lastOutput: string,
): Promise<Map<string, number>> {
  const droppedAt = new Map<string, number>();
  let done = 0;
  let since = Date.now();
  for (;;) {
    if (droppedAt.size < files.length && droppedAt.size - done <= MOST_OPEN) {
      for (const { name, account } of files.slice(droppedAt.size, droppedAt.size + GROUP)) {
        droppedAt.set(stemOf(name), Date.now());
        await place.dropOne(name, place.drops[account]!);
      }
    }
    await sleep(LOOK_MS);
    const names = await readdir(place.out).catch(() => []);
    const found = names.filter((name) => name.endsWith(lastOutput)).length;
    if (found === files.length) return droppedAt;
    if (found !== done) since = Date.now();
    done = found;
    if (Date.now() - since > PATIENCE_MS) throw new Error(`only ${found} of ${files.length} files have a result`);
  }
}

/** Returns when each file got its last output, in ms: renaming it was the last change of its state. */
async function readEnds(out: string, lastOutput: string): Promise<Map<string, number>> {
  const names = (await readdir(out)).filter((name) => name.endsWith(lastOutput));
  const ends = await Promise.all(
    names.map(async (name) => [stemOf(name), (await stat(join(out, name))).ctimeMs] as const),
  );
  return new Map(ends);
}

/** Returns what the names of a file and of its outputs share. */
function stemOf(name: string): string {
  return name.split(/\.csv$|__[^_]*$|\.result\.csv$/)[0]!;
}
