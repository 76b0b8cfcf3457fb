import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { compileLater, keepHeapSmall } from '../../../src/cli/process/prepare-process.ts';
import { holdFlags, setFlags, startPaydrop } from '../support/run-child.ts';
import { waitUntilIdle, withWorkers } from '../../../src/cli/process/with-workers.ts';
import type { Workers } from '../../../workers/main.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { claimContent } from '../../workers/support/story.ts';
import { openPipelineWorld } from '../../support/pipeline-world.ts';
import { EVERY_ROLE, type Role } from '../../../schemas/jobs.ts';
import { withDashboard } from '../../../src/cli/process/with-dashboard.ts';
import { readDashboard } from '../../../src/config/config-dashboard.ts';
import { keptLog } from '../../support/bad-input.ts';
import { isAlive } from '../../../src/ledger/postgres/ask-server.ts';
import { readNote } from '../../../src/ledger/postgres/find-cluster.ts';
import { findMountRefusal, mountSmallDisk } from '../../support/small-disk.ts';
import { findFreePort } from '../../support/daemon.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { startHere, takeDown } from '../support/run-here.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

/** A script that calls a function this many times. */
const work = (calls: number) => `
  function addUp(to) {
    let sum = 0;
    for (let index = 0; index < to; index += 1) sum += index % 7;
    return sum;
  }
  for (let call = 0; call < ${calls}; call += 1) addUp(10);
`;

/** Enough calls for V8's defaults, which Node 24 has raised, and for the flags set here. */
const [OFTEN, VERY_OFTEN] = [process.versions.node.startsWith('20.') ? 600 : 2000, 300_000];

describe('compileLater', () => {
  it.each([
    ['left alone, V8 compiles for speed what runs often', () => {}, OFTEN, true],
    ['it leaves that as it is', compileLater, OFTEN, false],
    ['and what runs very often is compiled', compileLater, VERY_OFTEN, true],
  ])('%s', async (_promise, before, calls, isCompiled) => {
    const flags = holdFlags();
    before();
    const said = await run(setFlags(flags) + work(calls));
    expect(/completed compiling.*addUp.*TURBOFAN/.test(said)).toBe(isCompiled);
  });
});

/** @returns V8's compilation log; it compiles in line, not beside the script, and knows the flags */
async function run(script: string): Promise<string> {
  const flags = ['--trace-opt', '--no-concurrent-recompilation', '--input-type=module', '-e', script];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, flags, { maxBuffer: 2 ** 26 });
  expect(stderr).toBe('');
  return stdout;
}

/** Creates many objects that live for a while, and reports the peak sizes of the young and old heap in MB. */
const WORK = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  const sizeOf = (name) => getHeapSpaceStatistics().find((space) => space.space_name === name).space_size / 2 ** 20;
  const most = { young: 0, old: 0 };
  for (let round = 0; round < 20; round += 1) {
    const living = [];
    for (let index = 0; index < 100_000; index += 1) living.push({ index });
    most.young = Math.max(most.young, sizeOf('new_space'));
    most.old = Math.max(most.old, sizeOf('old_space'));
  }
  process.stdout.write(JSON.stringify(most));
`;

it('keepHeapSmall keeps the heap from growing with objects that are soon gone', async () => {
  const flags = holdFlags();
  keepHeapSmall();
  const [small, large] = await Promise.all([measure(setFlags(flags) + WORK), measure(WORK)]);

  expect(small.young).toBeGreaterThan(0);
  expect(small.young).toBeLessThanOrEqual(8);
  expect(large.young).toBeGreaterThan(8);
  expect(small.young + small.old).toBeLessThan(large.young + large.old);
});

async function measure(script: string): Promise<{ young: number; old: number }> {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  return JSON.parse(stdout) as { young: number; old: number };
}

let workers: Workers | undefined;

const HOUR_MS = 3_600_000;
/** Long enough for a busy machine. */
const LONG_MS = 45_000;

describe('wait until idle', () => {
  const world = openedForTests(() => openPipelineWorld({ sandbox: { batchDelayMs: HOUR_MS } }));
  afterAll(() => workers?.stop());

  /** Waits; the service finishes a batch only once its progress was shown. @returns the lines shown */
  async function wait(timeoutMs: number, stop?: AbortSignal): Promise<{ isIdle: boolean; shown: string[] }> {
    const shown: string[] = [];
    const show = (text: string) => {
      shown.push(text);
      if (text.includes('processing 0/1')) world.sandbox.clock.advance(HOUR_MS);
    };
    return { isIdle: await waitUntilIdle(world.app, workers!, timeoutMs, show, stop), shown };
  }

  it('waitUntilIdle, with nobody at work, waits for a claim that the ledger does not know yet', async () => {
    for (const { work } of world.settings.folders) await mkdir(work, { recursive: true });
    await claimContent(world.app, 'drop/card', 'claimed.csv', lines([cardRow(3)]));
    workers = { look: () => Promise.resolve(0), stop: () => Promise.resolve() };
    expect(await wait(1)).toEqual({ isIdle: false, shown: ['1 being read'] });
  });

  describe('waitUntilIdle', () => {
    beforeAll(async () => {
      workers = await world.start();
    });

    it('has seen the end of what was claimed before', async () => {
      expect(await wait(LONG_MS)).toMatchObject({ isIdle: true });
      expect(await world.states()).toEqual({ 'claimed.csv': 'completed' });
    });

    it('is done at once when there is nothing to do', async () => {
      expect(await wait(LONG_MS)).toEqual({ isIdle: true, shown: [] });
    });

    it('gives up when the time is over or the work is stopped, and the next wait goes on', async () => {
      await world.drop('card', 'monday.csv', lines([cardRow(1)]));
      expect(await wait(1)).toMatchObject({ isIdle: false });
      expect(await wait(LONG_MS, AbortSignal.abort())).toEqual({ isIdle: false, shown: [] });
      const { isIdle, shown } = await wait(LONG_MS);
      expect(isIdle).toBe(true);
      expect(shown.join('\n')).toContain('monday.csv processing 0/1');
      expect(await world.states()).toMatchObject({ 'monday.csv': 'completed' });
    });

    it('does not wait for what needs attention', async () => {
      await world.drop('card', 'held.csv.ctl', 'rows=99\n');
      await world.drop('card', 'held.csv', lines([cardRow(2)]));
      expect(await wait(LONG_MS)).toMatchObject({ isIdle: true });
      expect(await world.states()).toMatchObject({ 'held.csv': 'held' });
    });
  });
});

const { log, text: logText } = keptLog();

describe('with dashboard', () => {
  const world = openedForTests(() => openCliWorld({ log }));

  /** Serves the dashboard as `paydrop start` does, at a configured address or the default one. */
  function open(
    port: number,
    last: (url: string | undefined, printed: Readonly<{ out: string }>) => Promise<void>,
    { roles = EVERY_ROLE, isWanted = true }: { roles?: ReadonlySet<Role>; isWanted?: boolean } = {},
  ) {
    const env = { PAYDROP_DASHBOARD: `127.0.0.1:${port}` };
    const dashboard = { ...readDashboard(undefined, { root: world.root, env, faults: [] })!, isWanted };
    const app = { ...world.app, settings: { ...world.settings, dashboard } };
    return takeDown((printed) => withDashboard(app, roles, (url) => last(url, printed)));
  }

  describe('withDashboard', () => {
    it('prints a set-up link at the first start, not into the log, and none when somebody is there', async () => {
      const port = await findFreePort();
      await open(port, async (url, printed) => {
        const [link = ''] = /http:\S+\/set-up\/[\w-]{43}/.exec(printed.out) ?? [];
        expect(link).toMatch(`${url}/set-up/`);
        const form = { name: 'ann', password: 'four words nobody guesses', repeated: 'four words nobody guesses' };
        const answer = await fetch(link, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
        expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
      });
      expect(logText()).toContain('the dashboard is listening');
      expect(logText()).not.toContain('set-up');

      const second = await open(port, async (url) => expect((await fetch(`${url}/login`)).status).toBe(200));
      expect(second).toMatchObject({ out: '', err: '' });
      await expect(fetch(`http://127.0.0.1:${port}/login`)).rejects.toThrow('fetch failed');
    });

    it('answers nowhere without the role', async () => {
      const port = await findFreePort();
      const before = logText();
      const asked = async (url: string | undefined) => {
        expect(url).toBeUndefined();
        await expect(fetch(`http://127.0.0.1:${port}/login`)).rejects.toThrow('fetch failed');
      };
      expect(await open(port, asked, { roles: new Set(['submit']) })).toMatchObject({ out: '', err: '' });
      expect(logText()).toBe(before);
    });
  });

  describe('withDashboard, when another program has the address', () => {
    const taken = createServer();
    let port = 0;
    beforeAll(async () => {
      taken.listen(0, '127.0.0.1');
      await once(taken, 'listening');
      ({ port } = taken.address() as { port: number });
    });
    afterAll(() => void taken.close());
    afterEach(() => void vi.stubEnv('PAYDROP_DASHBOARD', 'off'));

    it('ends the start if it was asked for', async () => {
      expect(holdFlags()).toEqual([]);
      vi.stubEnv('PAYDROP_DASHBOARD', `127.0.0.1:${port}`);
      const { status, err } = await world.paydrop('start');
      expect(status).not.toBe(0);
      expect(err).toContain('Choose another port or host for the dashboard');
    });

    it('does not mind in a process without the role', async () => {
      expect(holdFlags()).toEqual([]);
      vi.stubEnv('PAYDROP_DASHBOARD', `127.0.0.1:${port}`);
      const submitting = startHere(['--dir', world.root, 'start', '--roles', 'submit']);
      await submitting.interrupt();
      expect(await submitting.ended).toEqual({ status: 0, out: '', err: '' });
    });

    it('goes on without the dashboard if nobody asked for it, and says so in the log', async () => {
      const seen: unknown[] = [];
      await open(port, async (url) => void seen.push(url), { isWanted: false });
      expect(seen).toEqual([undefined]);
      expect(logText()).toContain('the dashboard stays closed: ');
    });
  });
});

describe('withWorkers', () => {
  const world = openedForTests(openCliWorld);

  it('takes files while it lasts and none after it, also when it fails', async () => {
    await world.drop('card', 'during.csv', lines([cardRow(1)]));
    const failing = withWorkers(world.app, async () => {
      await expect.poll(() => world.states()).toEqual({ 'during.csv': 'completed' });
      throw new Error('enough');
    });
    await expect(failing).rejects.toThrow('enough');
    await world.drop('card', 'after.csv', lines([cardRow(2)]));
    await world.paydrop('status');
    expect(await world.states()).toEqual({ 'during.csv': 'completed' });
    expect(await withWorkers(world.app, async () => 'again')).toBe('again');
  });
});

describe('a drill that is killed', () => {
  const world = openedForTests(openCliWorld);
  const foldersLeft = async () =>
    (await readdir(world.settings.paths.data))
      .filter((name) => name.startsWith('drill-'))
      .map((name) => join(world.settings.paths.data, name));
  const databasesLeft = async () => {
    const all = `SELECT datname FROM pg_database WHERE datname LIKE 'paydrop_drill_%'`;
    return (await world.app.ledger.pool.query<{ datname: string }>(all)).rows.map(({ datname }) => datname);
  };

  it('with a server of its own leaves it behind, until the next one', async () => {
    const child = await startPaydrop(['--dir', world.root, 'drill'], world.env);
    const pidOf = async (folder: string): Promise<number> => {
      const home = (await readNote(folder)) ?? join(folder, 'postgres');
      return Number((await readFile(join(home, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
    };
    const pid = await vi.waitFor(async () => pidOf((await foldersLeft())[0]!), { timeout: 60_000, interval: 5 });
    child.process.kill('SIGKILL');
    await child.ended;
    expect([isAlive(pid), (await foldersLeft()).length]).toEqual([true, 1]);
    expect(await world.paydrop('drill')).toMatchObject({ status: 0, err: '' });
    expect(await foldersLeft()).toEqual([]);
    // An ended process keeps its id until the first process of the machine has taken note of it.
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
  });

  it('with a database on the server leaves that, until the next one', async () => {
    const child = await startPaydrop(['--dir', world.root, 'drill', '--on-server'], world.env);
    await vi.waitFor(async () => expect(await databasesLeft()).toHaveLength(1), { timeout: 60_000, interval: 5 });
    child.process.kill('SIGKILL');
    await child.ended;
    expect((await databasesLeft()).length + (await foldersLeft()).length).toBe(2);
    expect(await world.paydrop('drill', '--on-server')).toMatchObject({ status: 0, err: '' });
    expect([await databasesLeft(), await foldersLeft()]).toEqual([[], []]);
  });

  it.runIf(findMountRefusal() === undefined)('does not begin where there is no room', async () => {
    const disk = mountSmallDisk(join(world.root, 'small'), 50_000);
    onTestFinished(() => disk.remove());
    const { status, err } = await world.paydrop('drill', '--in', join(world.root, 'small'));
    expect([status, err]).toEqual([5, expect.stringMatching(/needs about \d+ MB in .*, where \d+ MB are free/)]);
    expect(await readdir(join(world.root, 'small'))).toEqual([]);
  });
});
