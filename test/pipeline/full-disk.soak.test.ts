import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { ERRORS } from '../../schemas/errors.ts';
import { goodRows, keptLog } from '../support/bad-input.ts';
import { codeRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';
import { findMountRefusal, mountSmallDisk } from '../support/small-disk.ts';
import { relayDatabase } from '../support/database-relay.ts';

/** Outputs cannot be written: payments are made once, and outputs follow by themselves when they can be written. */

const LARGE_ROWS = 600;
const PATIENCE = { timeout: 120_000, interval: 20 };

let undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.toReversed()) await step();
  undo = [];
});

async function open(): Promise<{ world: PipelineWorld; logText: () => string }> {
  const { log, text: logText } = keptLog();
  const world = await openPipelineWorld({ log });
  undo.push(world.close);
  return { world, logText };
}

async function start(world: PipelineWorld): Promise<void> {
  const workers = await world.start();
  undo.push(workers.stop);
}

/** Checks that each file has all four outputs and nothing else, and that three accounts of what happened agree. */
async function expectAllDone(world: PipelineWorld, files: number, rows: number): Promise<void> {
  const names = await readdir(world.settings.paths.out);
  for (const kind of ['ack', 'result', 'summary-json', 'summary-txt'] as const) {
    expect(Object.keys(await world.outputs(kind))).toHaveLength(files);
  }
  expect(names).toHaveLength(4 * files);
  expect(world.sandbox.books()).toHaveLength(rows);
  expect(await compareBooks(world.app, world.sandbox.books())).toEqual([]);
}

describe('a disk that is full while outputs are written', () => {
  const refusal = findMountRefusal();
  if (refusal !== undefined) {
    it(`WAS NOT TRIED with a real one, because none can be mounted here: ${refusal}`, () => {
      expect(refusal).toMatch(/permission|superuser|not permitted|denied|must be root/i);
    });
    return;
  }

  it('holds back the output that does not fit, and no other; with room made, work goes on by itself', async () => {
    const { world, logText } = await open();
    // Room for notices and small results, but not for the result of the large file.
    const disk = mountSmallDisk(world.settings.paths.out, 48);
    undo.push(disk.remove);
    await start(world);
    await world.drop('card', 'large.csv', lines(upTo(LARGE_ROWS).map((n) => codeRow(n))));
    await world.drop('card', 'beside.csv', goodRows(1));
    await expect.poll(logText, PATIENCE).toContain('DISK_FULL');
    await expect
      .poll(() => world.states(), PATIENCE)
      .toEqual({ 'large.csv': 'in_progress', 'beside.csv': 'completed' });
    expect(logText()).toContain('Free some space; paydrop then continues automatically.');
    expect(Object.keys(await world.outputs('result'))).toHaveLength(1);
    expect(world.sandbox.books()).toHaveLength(LARGE_ROWS + 3);

    disk.resize(4_096);
    await expect.poll(() => world.states(), PATIENCE).toMatchObject({ 'large.csv': 'completed' });
    await expectAllDone(world, 2, LARGE_ROWS + 3);
  });
});

describe('an output folder that is gone, a file in its place', () => {
  it('stops the outputs and no payment; put back, work goes on by itself', async () => {
    const { world, logText } = await open();
    const { out } = world.settings.paths;
    await start(world);
    await rename(out, `${out}-away`);
    await writeFile(out, 'not a folder');
    await world.drop('card', 'monday.csv', goodRows(1));
    await expect.poll(() => world.sandbox.books().length, PATIENCE).toBe(3);
    await expect.poll(() => world.states(), PATIENCE).toEqual({ 'monday.csv': 'in_progress' });
    await expect.poll(logText, PATIENCE).toContain('FOLDER_MISSING');
    expect(logText()).toContain('Move the file away');

    await rm(out);
    await expect.poll(() => world.states(), PATIENCE).toEqual({ 'monday.csv': 'completed' });
    await expectAllDone(world, 1, 3);
  });
});

/** Files and folders that may not be read or written. The workers run as `nobody` where the tests run as root. */
describe('without rights', () => {
  let world: PipelineWorld;
  let workers: ChildProcessWithoutNullStreams;
  let relay: Awaited<ReturnType<typeof relayDatabase>>;
  let greeting = '';
  let logText = '';

  beforeAll(async () => {
    world = await openPipelineWorld();
    relay = await relayDatabase(world.settings.databaseUrl!);
    await giveToNobody(world.root);
    workers = startWithoutRights();
    workers.stderr.on('data', (chunk: Buffer) => {
      logText += chunk.toString();
    });
    const [first] = (await Promise.race([once(workers.stdout, 'data'), once(workers, 'close')])) as unknown[];
    if (!Buffer.isBuffer(first)) throw new Error(`the workers did not start: ${logText}`);
    greeting = first.toString();
  });

  afterAll(async () => {
    if (workers && workers.exitCode === null) {
      workers.stdin.end();
      await once(workers, 'close');
    }
    await world?.close();
    relay?.close();
  });

  async function giveToNobody(path: string): Promise<void> {
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', '65534:65534', path]);
  }

  function startWithoutRights(): ChildProcessWithoutNullStreams {
    const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const script = fileURLToPath(new URL('../support/pipeline-without-rights.ts', import.meta.url));
    const config = {
      accounts: {
        main: {
          server: 'NA',
          country: 'US',
          currency: 'USD',
          agentCode: 'TEST88',
          password: 'TEST88',
          baseUrl: world.sandbox.url,
          poll: { firstMs: 60, factor: 1.2, longestMs: 500 },
        },
      },
      folders: world.settings.folders.map(({ id, operation, complete }) => ({
        path: id,
        account: 'main',
        operation,
        // Leaves time to take rights away before the file is claimed.
        complete: { ...complete, ...(operation === 'ach-charge' && { quietMs: 1_000 }) },
      })),
      rescanMs: 300,
      sweepMs: 500,
    };
    return spawn(process.execPath, ['--import', loader, script, world.root, JSON.stringify(config), relay.url]);
  }

  /** Drops a file that belongs to the user of the workers. */
  async function drop(folder: string, name: string, content: string, mode = 0o644): Promise<void> {
    await world.drop(folder, `${name}.part`, content);
    const path = join(world.root, 'drop', folder, name);
    await chmod(`${path}.part`, mode);
    await giveToNobody(`${path}.part`);
    await rename(`${path}.part`, path);
  }

  function stateOf(name: string): Promise<string | undefined> {
    return world.states().then((states) => states[name]);
  }

  it('runs as an ordinary user', async () => {
    expect(greeting).toMatch(/^user [1-9]\d*\n$/);
  });

  it('a file that may not be read is moved aside unopened, and the file beside it goes through', async () => {
    await drop('card', 'shut.csv', goodRows(1), 0o000);
    await drop('card', 'beside.csv', goodRows(2));
    await expect.poll(() => stateOf('beside.csv'), PATIENCE).toBe('completed');
    await expect.poll(() => readdir(world.settings.paths.quarantine), PATIENCE).toHaveLength(1);
    const [id = ''] = await readdir(world.settings.paths.quarantine);
    const dir = join(world.settings.paths.quarantine, id);
    await expect.poll(() => readdir(dir), PATIENCE).toEqual(['drop', 'reason.json']);
    expect(JSON.parse(await readFile(join(dir, 'reason.json'), 'utf8'))).toMatchObject({
      code: 'DROP_UNREADABLE',
      name: 'shut.csv',
      remedy: ERRORS.DROP_UNREADABLE.remedy,
    });
    await chmod(join(dir, 'drop'), 0o600);
    expect(await readFile(join(dir, 'drop'), 'utf8')).toBe(goodRows(1));
    expect(await stateOf('shut.csv')).toBeUndefined();
  });

  it('a drop folder that may not be written keeps its files until it may, and the others go on', async () => {
    const folder = join(world.root, 'drop/ach-charge');
    await drop('ach-charge', 'stuck.csv', goodRows(3));
    await chmod(folder, 0o555);
    await drop('card', 'on.csv', goodRows(4));
    await expect.poll(() => stateOf('on.csv'), PATIENCE).toBe('completed');
    await expect.poll(() => logText, PATIENCE).toContain('claim a drop of folder \\"drop/ach-charge\\"');
    expect(logText).toContain(ERRORS.FOLDER_NOT_WRITABLE.remedy);
    expect(await readdir(folder)).toEqual(['stuck.csv']);
    expect(await stateOf('stuck.csv')).toBeUndefined();

    await chmod(folder, 0o755);
    await expect.poll(() => stateOf('stuck.csv'), PATIENCE).toBe('completed');
  });

  it('an output folder that may not be written holds back outputs and no payment, and is caught up with', async () => {
    const { out } = world.settings.paths;
    const sentBefore = world.sandbox.books().length;
    const outputsBefore = (await readdir(out)).length;
    await chmod(out, 0o555);
    await drop('ach-refund', 'quiet.csv', goodRows(5, '-'));
    await expect.poll(() => world.sandbox.books().length, PATIENCE).toBe(sentBefore + 3);
    await expect
      .poll(() => logText, PATIENCE)
      .toMatch(/"code":"FOLDER_NOT_WRITABLE","reason":"Cannot write the output/);
    expect(await stateOf('quiet.csv')).toBe('in_progress');
    expect(await readdir(out)).toHaveLength(outputsBefore);

    await chmod(out, 0o700);
    await expect.poll(() => stateOf('quiet.csv'), PATIENCE).toBe('completed');
    expect(await readdir(out)).toHaveLength(outputsBefore + 4);
    expect(world.sandbox.books()).toHaveLength(sentBefore + 3);
    expect(await compareBooks(world.app, world.sandbox.books())).toEqual([]);
  });
});
