import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { expect, vi } from 'vitest';
import type { Config } from '../../../schemas/config.ts';
import type { Settings } from '../../../src/config/config.ts';
import { forceSql } from '../../support/force-sql.ts';
import { openPipelineWorld, type PipelineWorld, type WorldOptions } from '../../support/pipeline-world.ts';
import { type Expecting, expecting, type Ran, runHere } from './run-here.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { bad, type Check, type Finding, findingOf, type Patient } from '../../../src/cli/doctor/check.ts';
import { ownFolders } from '../../../src/cli/doctor/folders.ts';

export type CliWorld = PipelineWorld &
  Expecting & {
    /** Runs a command line in this process, in the folder of this world. */
    paydrop(...words: string[]): Promise<Ran>;
    /** Lets a child process find the same database. */
    env: Record<string, string>;
    /** Forces a state that only a service fault would cause. */
    forceState(table: 'file' | 'batch', state: string): Promise<void>;
  };

/** Opens a pipeline world with its `paydrop.yaml`, so that commands find it. */
export async function openCliWorld(options: WorldOptions = {}): Promise<CliWorld> {
  const world = await openPipelineWorld(options);
  await writeFile(join(world.root, 'paydrop.yaml'), yamlOf(world.config), { mode: 0o600 });
  const env = { DATABASE_URL: world.settings.databaseUrl ?? '', PAYDROP_LOG_LEVEL: 'silent' };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const closeWorld = world.close;
  const paydrop = (...words: string[]) => runHere(['--dir', world.root, ...words]);
  // Keep the same object, so that a test may replace the world's app.
  return Object.assign(world, {
    env,
    paydrop,
    ...expecting(paydrop),
    forceState: (table: 'file' | 'batch', state: string) =>
      forceSql(world.app, `UPDATE ${table} SET state = $1`, [state]),
    close: async () => {
      vi.unstubAllEnvs();
      await closeWorld();
    },
  });
}

/** Writes JSON, which is also YAML. */
function yamlOf(config: Config): string {
  const folders = config.folders.map(({ header, charset, ...folder }) => ({
    ...folder,
    // A profile says both.
    ...(folder.profile === undefined && { header, charset }),
  }));
  return JSON.stringify({ ...config, folders });
}

/** Values that would stand out in any text. The numbers are test numbers. */
export const SECRETS = {
  password: 'PASSWORDCANARY',
  card: '4222222222222220',
  account: '02100002100000000000000001',
  code: '9173',
};

/** The secrets as environment variables of a call. */
export const SECRET_ENVIRONMENT = {
  PAYDROP_CREDIT_CARD_NUM: SECRETS.card,
  PAYDROP_CC_NUM: SECRETS.card,
  PAYDROP_ACCOUNT_NUM: SECRETS.account,
  PAYDROP_CVV2: SECRETS.code,
};

export type CallWorld = Expecting & {
  readonly root: string;
  readonly sandbox: Sandbox;
  paydrop(...words: string[]): Promise<Ran>;
  /** Same, with a pipe as standard input. */
  pipe(text: string, ...words: string[]): Promise<Ran>;
  close(): Promise<void>;
};

/** Opens a sandbox and a folder with configured accounts. Calls by hand need no ledger. */
export async function openCallWorld(accounts: Record<string, Record<string, unknown>> = {}): Promise<CallWorld> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-call-'));
  const sandbox = await startSandbox({
    now: '2026-06-15T09:00:00Z',
    accounts: [{ agentCode: 'TEST88', password: SECRETS.password }],
  });
  const usual = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'env:PASSWORD_OF_MAIN' };
  const main = { ...usual, timeZone: 'America/New_York', baseUrl: sandbox.url };
  const all = Object.entries({ main: {}, ...accounts }).map(([name, more]) => [name, { ...main, ...more }]);
  const folders = [{ path: 'drop', account: 'main', operation: 'card' }];
  await writeFile(join(root, 'paydrop.yaml'), JSON.stringify({ accounts: Object.fromEntries(all), folders }));
  vi.stubEnv('PASSWORD_OF_MAIN', SECRETS.password);
  const paydrop = (...words: string[]) => runHere(['--dir', root, ...words]);
  return {
    root,
    sandbox,
    paydrop,
    ...expecting(paydrop),
    pipe: async (text, ...words) => {
      const spy = vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([text]) as typeof process.stdin);
      return paydrop(...words).finally(() => spy.mockRestore());
    },
    close: async () => {
      vi.unstubAllEnvs();
      await sandbox.close();
      await rm(root, { recursive: true });
    },
  };
}

export type PatientWorld = PipelineWorld & {
  patient: Patient;
  /** Returns the findings of a check, with some parts replaced. */
  look(check: Check, change?: Partial<Patient>): Promise<Finding[]>;
};

/** Opens a healthy installation, with its folders as `paydrop init` and the first start make them. */
export async function openPatientWorld(options: WorldOptions = {}): Promise<PatientWorld> {
  const world = await openPipelineWorld(options);
  await makeOwnFolders(world.settings);
  await writeFile(join(world.root, 'paydrop.yaml'), '', { mode: 0o600 });
  const patient = { settings: world.settings, env: {}, clock: world.app.clock, ledger: world.app.ledger };
  const look = async (check: Check, change: Partial<Patient> = {}) => {
    try {
      return await check.look({ ...patient, ...change });
    } catch (error) {
      return [findingOf(error, bad)];
    }
  };
  return { ...world, patient, look };
}

export async function makeOwnFolders(settings: Settings): Promise<void> {
  for (const dir of ownFolders(settings)) {
    await mkdir(dir, { recursive: true });
    await chmod(dir, 0o700);
  }
}

/** A single `ok` finding, whatever its text. */
export const WELL: unknown = [{ level: 'ok', found: expect.any(String) }];
