import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '../../schemas/config.ts';
import { OUTPUT_KINDS, type OutputKind } from '../../schemas/lifecycle.ts';
import { REPROCESS } from '../../src/actions/reprocess/run-reprocess.ts';
import { type App, openApp } from '../../src/app.ts';
import type { Feature } from '../../src/feature.ts';
import { waitUntilIdle } from '../../src/cli/process/with-workers.ts';
import { resolveSettings, type Settings } from '../../src/config/config.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { type Log, silentLog } from '../../src/kernel/log.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { createMasterKeyFile } from '../../src/crypto/master-key.ts';
import { bindHere } from '../../workers/bind-here.ts';
import { admitHere } from '../../workers/admit-here.ts';
import { startWorkers, type Workers } from '../../workers/main.ts';
import { givenQueue } from './given-engines.ts';
import { startTestPostgres, type TestPostgres } from './postgres.ts';

/** Everything in one process, as `paydrop start` runs it, with waits that a test can bear. */
export type PipelineWorld = {
  readonly root: string;
  readonly settings: Settings;
  /** What another process needs to work for the same ledger: its configuration, and what its environment names. */
  readonly config: Config;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  app: App;
  /** Writes a file into a drop folder. */
  drop(folder: string, name: string | Buffer, content: string | Uint8Array): Promise<void>;
  /** Starts the workers, completes what lies in the folders, and stops them. Fails after `stillMs` without a change. */
  finish(stillMs?: number): Promise<void>;
  start(): Promise<Workers>;
  /** Returns the texts of the output files of a kind, by name. */
  outputs(kind: OutputKind): Promise<Record<string, string>>;
  /** Returns the state of every file, by the sender's name. */
  states(): Promise<Record<string, string>>;
  close(): Promise<void>;
};

export type WorldOptions = {
  folder?: Record<string, unknown>;
  account?: Record<string, unknown>;
  /** Accounts beside `main`, or in its place; their service is the sandbox. */
  accounts?: Record<string, object>;
  /** Settings at the top level, such as batch. */
  settings?: Record<string, unknown>;
  sandbox?: SandboxOptions;
  /** Empty: the queue lies beside the ledger, even in a run with a given Redis. */
  redisUrl?: string;
  /** The test's own database, in place of a fresh one of the run. */
  postgres?: Pick<TestPostgres, 'url' | 'stop'>;
  log?: Log;
  /** By default, that of the machine. */
  clock?: Clock;
  /** Features beside the core; none by default. */
  features?: readonly Feature[];
};

export async function openPipelineWorld(options: WorldOptions = {}): Promise<PipelineWorld> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-world-'));
  await chmod(root, 0o711);
  const postgres = options.postgres ?? (await startTestPostgres());
  const sandbox = await startSandbox({ batchDelayMs: 10, dataDir: join(root, 'sandbox'), ...options.sandbox });
  const queue = options.redisUrl === undefined ? await givenQueue() : { REDIS_URL: options.redisUrl };
  const env = { DATABASE_URL: postgres.url, ...queue };
  const config = worldConfig(sandbox.url, options);
  const settings = resolveSettings(config, root, env, { installed: options.features ?? [] });
  for (const dir of [settings.paths.data, ...settings.folders.map((folder) => folder.path)])
    await mkdir(dir, { recursive: true });
  createMasterKeyFile(settings.paths.masterKey);
  const app = await openApp(settings, {
    log: options.log ?? silentLog(),
    env,
    ...(options.clock && { clock: options.clock }),
  });
  await bindHere(app);
  await admitHere(app);

  const world: PipelineWorld = {
    root,
    settings,
    config,
    env,
    sandbox,
    app,
    drop: async (folder, name, content) => {
      const dir = Buffer.from(`${join(root, 'drop', folder)}/`);
      await writeFile(Buffer.concat([dir, Buffer.from(name)]), content);
    },
    start: () => startWorkers(world.app, undefined, undefined, REPROCESS),
    finish: async (stillMs = 50_000) => {
      const workers = await startWorkers(world.app, undefined, undefined, REPROCESS);
      let [seen, before] = ['nothing', ''];
      let isIdle = false;
      while (!isIdle && seen !== before) {
        before = seen;
        isIdle = await waitUntilIdle(world.app, workers, stillMs, (text) => (seen = text));
      }
      await workers.stop();
      if (isIdle) return;
      throw new Error(
        `nothing has moved for ${stillMs} ms: ${JSON.stringify(await world.states())}, last seen: ${seen}`,
      );
    },
    outputs: async (kind) => {
      const ending = `.${OUTPUT_KINDS[kind].suffix}`;
      const names = (await readdir(settings.paths.out)).filter((name) => name.endsWith(ending)).sort();
      const texts = await Promise.all(names.map((name) => readFile(join(settings.paths.out, name), 'utf8')));
      return Object.fromEntries(names.map((name, index) => [name, texts[index]!]));
    },
    states: async () => {
      const { rows } = await world.app.ledger.pool.query<{ name: string; state: string }>(
        'SELECT name, state FROM file ORDER BY file_no',
      );
      return Object.fromEntries(rows.map((row) => [row.name, row.state]));
    },
    close: async () => {
      await world.app.close();
      await sandbox.close();
      await postgres.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
  return world;
}

function worldConfig(baseUrl: string, { account, accounts: others = {}, folder, settings }: WorldOptions): Config {
  const sandbox = { baseUrl, poll: { firstMs: 20, factor: 1.2, longestMs: 500 } };
  const main = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'TEST88' };
  const accounts = {
    main: { ...main, ...sandbox, ...account },
    ...Object.fromEntries(Object.entries(others).map(([name, other]) => [name, { ...other, ...sandbox }])),
  };
  const folders = ['card', 'ach-charge', 'ach-refund'].map((operation) => ({
    path: `drop/${operation}`,
    account: 'main',
    operation,
    complete: { by: 'quiet', quietMs: 20, probes: 2 },
    ...folder,
  }));
  return Config.parse({ accounts, folders, rescanMs: 300, sweepMs: 500, ...settings });
}
