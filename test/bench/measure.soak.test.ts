import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { lookUp, median, medianOf, medianRatio, percentile, ratioOf } from '../../bench/measure/statistics.ts';
import { takeTurns } from '../../bench/measure/take-turns.ts';
import { peakMemoryOf, watchMemory } from '../../bench/measure/peak-memory.ts';
import { processorMsOf } from '../../bench/measure/processor-time.ts';
import { GARBAGE, NODE, type Profile, readProfiles } from '../../bench/measure/read-profile.ts';
import { measured } from './support/measured.ts';

const OURS = measured({ part: 'validate', subject: 'paydrop' }, [1, 2, 3], { intakeSeconds: [4, 5, 6] });
const PEER = measured({ part: 'validate', subject: 'csv-parse' }, [8, 4, 12]);

describe('lookUp', () => {
  it('gives the one that is meant, or nothing', () => {
    expect(lookUp([OURS, PEER], { subject: 'paydrop' })).toBe(OURS);
    expect(lookUp([OURS, PEER], { subject: 'papaparse' })).toBeUndefined();
  });

  it('refuses words that mean several', () => {
    expect(() => lookUp([OURS, PEER], { part: 'validate' })).toThrow('describes 2 measurements');
  });
});

describe('medianOf', () => {
  it('takes seconds, memory or a figure', () => {
    expect(medianOf(OURS)).toBe(2);
    expect(medianOf(OURS, 'intakeSeconds')).toBe(5);
    expect(medianOf(OURS, 'peakMb')).toBe(100);
  });

  it('says nothing of what was not measured', () => {
    expect(medianOf(PEER, 'intakeSeconds')).toBeUndefined();
    expect(medianOf(undefined)).toBeUndefined();
    const blind = { ...OURS, samples: OURS.samples.map((sample) => ({ ...sample, peakMb: null })) };
    expect(medianOf(blind, 'peakMb')).toBeUndefined();
  });
});

describe('ratioOf', () => {
  it('is the median of the ratios of the rounds', () => {
    expect(ratioOf(PEER, OURS)).toBe(4);
    expect(ratioOf(PEER, OURS, { under: 'intakeSeconds' })).toBe(2);
  });

  it('is not made up when one side is missing', () => {
    expect(ratioOf(PEER, undefined)).toBeUndefined();
    expect(ratioOf(PEER, OURS, { over: 'intakeSeconds' })).toBeUndefined();
  });
});

describe('median', () => {
  it.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[1, 1, 1, 100], 1],
  ])('of %j is %d', (values, middle) => {
    expect(median(values)).toBe(middle);
  });

  it('of nothing is no number, and leaves its values in their order', () => {
    expect(median([])).toBeNaN();
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe('medianRatio', () => {
  it('compares what belongs to one round, so that a machine that drifts does not count', () => {
    // The machine is about four times slower in the last round; the second list is twice as fast in each.
    expect(medianRatio([2, 2.2, 8], [1, 1.1, 4])).toBe(2);
  });

  it('wants the same rounds on both sides', () => {
    expect(() => medianRatio([1, 2], [1])).toThrow('same rounds');
  });
});

describe('percentile', () => {
  it.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0, 1],
  ])('%d of the numbers to 100 is %d', (share, value) => {
    expect(
      percentile(
        Array.from({ length: 100 }, (_, index) => 100 - index),
        share,
      ),
    ).toBe(value);
  });
});

describe('takeTurns', () => {
  it('measures one after the other, round by round, and keeps the samples of each together', async () => {
    const order: string[] = [];
    const contestant = (subject: string) => ({
      about: { part: 'validate', subject, condition: 'ordinary', rows: 10 },
      run: async () => {
        order.push(subject);
        return { seconds: order.length, peakMb: null, figures: {} };
      },
    });
    const said: string[] = [];
    const measurements = await takeTurns([contestant('peer'), contestant('ours')], 2, (text) => said.push(text));
    expect(order).toEqual(['peer', 'ours', 'peer', 'ours']);
    expect(measurements.map(({ subject, samples }) => [subject, samples.map(({ seconds }) => seconds)])).toEqual([
      ['peer', [1, 3]],
      ['ours', [2, 4]],
    ]);
    expect(said).toHaveLength(4);
  });
});

it('takeTurns says who was left out and why, and measures the others', async () => {
  const about = { part: 'small-files', subject: 'durable peer', condition: '100 rows each', rows: 10 };
  const run = async () => ({ seconds: 1, peakMb: null, figures: {} });
  const said: string[] = [];
  const contestants = [
    { about, leftOut: 'no Redis' },
    { about: { ...about, subject: 'paydrop' }, run },
  ];
  const [peer, ours] = await takeTurns(contestants, 2, (text) => said.push(text));
  expect(peer).toEqual({ ...about, samples: [], leftOut: 'no Redis' });
  expect(ours?.samples).toHaveLength(2);
  expect(said[0]).toContain('durable peer, 100 rows each, 10 rows: no Redis');
});

const children: ReturnType<typeof spawn>[] = [];
afterAll(() => children.forEach((child) => child.kill()));

/** Starts a process that prints `up` when it is ready and runs until it is killed. */
async function start(code: string) {
  const child = spawn(process.execPath, ['-e', `${code}; setInterval(() => {}, 1000); console.log('up')`]);
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

const HOLD_100_MB = 'globalThis.held = Buffer.alloc(100e6, 1)';

describe('memory of a process', () => {
  it('tells the largest, also when it was let go', async () => {
    const child = await start(`${HOLD_100_MB}; globalThis.held = undefined; globalThis.gc?.()`);
    expect(peakMemoryOf(child.pid!)).toBeGreaterThan(100);
  });

  it('is unknown of a process that is gone', async () => {
    const child = await start('');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(peakMemoryOf(child.pid!)).toBeNull();
  });

  it('counts what a process has started, and leaves PostgreSQL out', async () => {
    const grandchild = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(
      `${HOLD_100_MB}; process.send('up'); setInterval(() => {}, 1000)`,
    )}], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }).on('message', () => console.log('both up'))`;
    const child = spawn(process.execPath, ['-e', grandchild]);
    children.push(child);
    await once(child.stdout, 'data');
    expect(watchMemory(child.pid!).stop()).toBeGreaterThan(100 + peakMemoryOf(child.pid!)!);
    const database = await start(`process.title = 'postgres'; ${HOLD_100_MB}`);
    expect(watchMemory(database.pid!).stop()).toBeNull();
  });
});

const WORK_100_MS = `
  const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  while (used() < 100);
`;

/** The system counts user and system time in ticks, each rounded down. */
const TICKS_MS = 20;

it('processorMsOf counts a process and what it has started, whether that has ended or not', async () => {
  const child = spawn(process.execPath, [
    '-e',
    `const { spawn, spawnSync } = require('node:child_process');
     const work = ${JSON.stringify(WORK_100_MS)};
     ${WORK_100_MS}
     spawnSync(process.execPath, ['-e', work]);
     const living = spawn(process.execPath, ['-e', work + "console.log('up'); setInterval(() => {}, 1000)"]);
     living.stdout.once('data', () => console.log('all'));
     process.stdin.on('end', () => { living.kill(); process.exit(); }).resume();`,
  ]);
  await once(child.stdout, 'data');
  const ms = processorMsOf(child.pid!);
  child.stdin.end();
  await once(child, 'exit');
  expect(ms).toBeGreaterThanOrEqual(3 * 100 - 3 * TICKS_MS);
  expect(processorMsOf(child.pid!)).toBeNull();
});

it('processorMsOf is not led astray by the name of a process', async () => {
  const script = `process.title = 'a) R 1 2 (b'; ${WORK_100_MS} console.log('up'); process.stdin.resume()`;
  const child = spawn(process.execPath, ['-e', script]);
  await once(child.stdout, 'data');
  const ms = processorMsOf(child.pid!);
  child.stdin.end();
  await once(child, 'exit');
  expect(ms).toBeGreaterThanOrEqual(100 - TICKS_MS);
  expect(ms).toBeLessThan(60_000);
});

/** Returns a profile of one chain of calls, each made by the one before, sampled once for `ms` milliseconds. */
function looked(ms: number, ...calls: [functionName: string, url: string][]): Profile {
  return {
    nodes: calls.map(([functionName, url], index) => ({
      id: index + 1,
      callFrame: { functionName, url },
      ...(index + 1 < calls.length && { children: [index + 2] }),
    })),
    samples: [calls.length],
    timeDeltas: [ms * 1_000],
  };
}

async function read(...profiles: Profile[]) {
  const dir = await mkdtemp(join(tmpdir(), 'paydrop-profiles-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, 'notes.txt'), 'no profile');
  for (const [index, profile] of profiles.entries())
    await writeFile(join(dir, `CPU.${index}.cpuprofile`), JSON.stringify(profile));
  return Object.fromEntries(await readProfiles(dir));
}

const OUR_CODE = 'file:///somewhere/dist/src/csv/scan/scan-block.js';
const PACKAGE = 'file:///somewhere/node_modules/@scope/name/lib/index.js';

describe('readProfiles', () => {
  it.each([
    ['a folder of ours', OUR_CODE, 'src/csv'],
    ['a file of ours in no folder', 'file:///somewhere/dist/src/app.js', 'src'],
    ['the workers', 'file:///somewhere/dist/workers/intake/read-content.js', 'workers'],
    ['a package', PACKAGE, '@scope/name'],
    ['a package inside of another', `file:///x/node_modules/outer/node_modules/inner/dist/src/csv/x.js`, 'inner'],
    ['a part of pg', 'file:///x/node_modules/pg-protocol/dist/index.js', 'pg'],
    ['what writes past pg', 'file:///x/dist/src/ledger/engine/copy-in.js', 'pg'],
    ['the rest of the ledger', 'file:///x/dist/src/ledger/engine/move.js', 'src/ledger'],
    ['Node itself', 'node:fs', NODE],
  ])('finds the owner: %s', async (_what, url, owner) => {
    expect(await read(looked(7, ['', 'node:internal'], ['work', url]))).toEqual({ [owner]: { allMs: 7, nativeMs: 0 } });
  });

  it('counts what Node does for its last caller, and tells what is no JavaScript', async () => {
    const calls: [string, string][] = [
      ['query', PACKAGE],
      ['scan', OUR_CODE],
      ['write', 'node:net'],
    ];
    expect(await read(looked(3, ...calls))).toEqual({ 'src/csv': { allMs: 3, nativeMs: 0 } });
    expect(await read(looked(3, ...calls, ['writev', '']))).toEqual({ 'src/csv': { allMs: 3, nativeMs: 3 } });
  });

  it('adds up the threads, and leaves out when they waited', async () => {
    const idle = looked(1_000, ['(root)', ''], ['(idle)', '']);
    const garbage = looked(5, ['scan', OUR_CODE], ['(garbage collector)', '']);
    expect(await read(looked(1, ['scan', OUR_CODE]), looked(2, ['scan', OUR_CODE]), idle, garbage)).toEqual({
      'src/csv': { allMs: 3, nativeMs: 0 },
      [GARBAGE]: { allMs: 5, nativeMs: 0 },
    });
  });

  it('counts each look at a call by itself', async () => {
    const once = looked(1, ['scan', OUR_CODE], ['open', '']);
    const profile = { ...once, samples: [1, 2, 2, 1], timeDeltas: [1_000, 2_000, 4_000, 8_000] };
    expect(await read(profile)).toEqual({ 'src/csv': { allMs: 15, nativeMs: 6 } });
  });
});
