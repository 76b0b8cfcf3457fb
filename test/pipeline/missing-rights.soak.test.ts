import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../schemas/errors.ts';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { goodRows } from '../support/bad-input.ts';
import { relayDatabase } from '../support/database-relay.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

/** Files and folders that may not be read or written. The workers run as `nobody` where the tests run as root. */

const PATIENCE = { timeout: 120_000, interval: 20 };

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

describe('without rights', () => {
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
      mend: ERRORS.DROP_UNREADABLE.remedy,
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
