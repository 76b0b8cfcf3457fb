import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from '../measure/statistics.ts';
import { takeTurns } from '../measure/take-turns.ts';
import type { Sample } from '../measure/record.ts';
import { startDaemon } from '../world/daemon.ts';
import type { Part } from './part.ts';
import { withInstallation } from './surroundings.ts';

const run = promisify(execFile);
const TIMES = 5;

/** Startup time, before any work is done. */
export const start: Part = {
  name: 'start',
  about:
    'until paydrop watches, in a new folder and once more, and a question beside it; what Node alone takes of that',
  measure: ({ programs, plan, say }) => {
    const contestant = {
      about: { part: 'start', subject: 'paydrop', condition: 'embedded ledger', rows: 0 },
      run: () =>
        withInstallation({ serviceUrl: 'http://127.0.0.1:9' }, ({ root }) => measureStart(programs.paydrop, root)),
    };
    return takeTurns([contestant], plan.rounds, say);
  },
};

async function measureStart(paydrop: string, root: string): Promise<Sample> {
  const [first, firstMs] = await timed(() => startDaemon(paydrop, root));
  await first.stop();
  const againMs: number[] = [];
  for (let time = 1; time < TIMES; time += 1) {
    const [daemon, ms] = await timed(() => startDaemon(paydrop, root));
    againMs.push(ms);
    await daemon.stop();
  }
  const [daemon, ms] = await timed(() => startDaemon(paydrop, root));
  againMs.push(ms);
  try {
    const command = (...words: string[]) => medianMs(() => run(process.execPath, [paydrop, '--dir', root, ...words]));
    const figures = {
      firstMs,
      findMs: await command('find', '--invoice', 'none', '--json'),
      statusMs: await command('status', '--json'),
      nodeMs: await medianMs(() => run(process.execPath, ['--eval', ''])),
    };
    return { seconds: median(againMs) / 1_000, peakMb: await daemon.stop(), figures };
  } finally {
    await daemon.stop();
  }
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < TIMES; time += 1) took.push((await timed(work))[1]);
  return median(took);
}

async function timed<Result>(work: () => Promise<Result>): Promise<[Result, ms: number]> {
  const began = performance.now();
  return [await work(), performance.now() - began];
}
