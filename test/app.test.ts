import { bindHere } from '../workers/bind-here.ts';
import { chargedOf } from './support/bind-for-test.ts';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Config } from '../schemas/config.ts';
import { type App, openApp } from '../src/app.ts';
import { resolveSettings, type Settings } from '../src/config/config.ts';
import { openLog, silentLog } from '../src/kernel/log.ts';
import { createMasterKeyFile } from '../src/crypto/master-key.ts';
import { letTimeFly } from './queue/support/queue-world.ts';
import { openTestPool, startTestPostgres, type TestPostgres } from './support/postgres.ts';
import { type ScriptedService, startScriptedService } from './support/scripted-service.ts';
import { closedUrl } from './workers/support/step-world.ts';

let postgres: TestPostgres;
let service: ScriptedService;
beforeAll(async () => {
  postgres = await startTestPostgres({ schema: 'empty' });
  service = await startScriptedService();
});
afterAll(async () => {
  await service.close();
  await postgres.stop();
});

const roots: string[] = [];
const apps: App[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  for (const root of roots.splice(0)) await rm(root, { recursive: true });
});

async function freshSettings(env: Record<string, string> = {}): Promise<Settings> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-app-'));
  roots.push(root);
  const account = { server: 'NA', country: 'US', currency: 'USD', password: 'TEST88', baseUrl: service.url };
  const config = Config.parse({
    accounts: { one: { ...account, agentCode: 'ONE' }, two: { ...account, agentCode: 'TWO' } },
    folders: [{ path: 'drop/card', account: 'one', operation: 'card' }],
  });
  const settings = resolveSettings(config, root, { DATABASE_URL: postgres.url, ...env });
  await mkdir(settings.paths.data);
  return settings;
}

/** All tests use the same key, because they share the database. */
const KEY = Buffer.alloc(32, 7).toString('base64');

async function open(settings: Settings, env: Record<string, string> = { PAYDROP_MASTER_KEY: KEY }): Promise<App> {
  const app = await openApp(settings, { log: silentLog(), env });
  apps.push(app);
  return app;
}

/** Binds the accounts, as the start of the workers does. */
async function bound(app: App): Promise<App> {
  await bindHere(app);
  return app;
}

/** Counts the open sessions on the test database besides its own. */
async function openSessions(): Promise<number> {
  const { Client } = await import('pg');
  const client = new Client(postgres.connection);
  await client.connect();
  const { rows } = await client.query<{ n: string }>(
    'SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await client.end();
  return Number(rows[0]!.n);
}

async function expectNothingOpen(): Promise<void> {
  await expect.poll(openSessions, { interval: 50 }).toBe(0);
}

describe('openApp', () => {
  it('puts the parts together', async () => {
    const settings = await freshSettings();
    const app = await open(settings);
    expect((await app.ledger.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(await app.queue.counts('submit')).toMatchObject({ waiting: 0, active: 0 });
    expect(app.settings).toBe(settings);
  });

  it('gives two processes the same fingerprints, made at the first start', async () => {
    const [one, two] = await Promise.all([open(await freshSettings()), open(await freshSettings())]);
    expect(one.fingerprint(['a', 'b'])).toEqual(two.fingerprint(['a', 'b']));
    expect(one.fingerprint(['a', 'b'])).not.toEqual(one.fingerprint(['ab', '']));
  });

  it.each([
    ['without a master key', {}, 'MASTER_KEY_MISSING'],
    [
      'with another master key than the data was sealed with',
      { PAYDROP_MASTER_KEY: Buffer.alloc(32, 8).toString('base64') },
      'MASTER_KEY_WRONG',
    ],
  ])('%s says so and leaves nothing open', async (_how, env, code) => {
    await (await open(await freshSettings())).close();
    await expect(open(await freshSettings(), env)).rejects.toMatchObject({ code });
    await expectNothingOpen();
  });

  it('without its database says so', async () => {
    const port = new URL(await closedUrl()).port;
    const settings = await freshSettings({ DATABASE_URL: `postgres://paydrop@127.0.0.1:${port}/none` });
    await expect(open(settings)).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' });
  });

  it('without room for the journal opens nothing else', async () => {
    const settings = await freshSettings();
    await writeFile(join(settings.paths.data, 'journal'), 'a file where the folder should be');
    await expect(open(settings)).rejects.toThrow();
    await expectNothingOpen();
  });

  it('without its queue closes what was open already', async () => {
    const redisUrl = (await closedUrl()).replace('http:', 'redis:');
    let flight: Promise<unknown> | undefined;
    // Opening the queue reads its address first. From then on the test moves time instead of waiting for the queue.
    const settings = Object.defineProperty(await freshSettings(), 'redisUrl', {
      get: () => {
        flight ??= letTimeFly(() => opening).catch(() => {});
        return redisUrl;
      },
    });
    const opening = open(settings);
    await expect(opening).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    await flight;
    await expectNothingOpen();
  });

  it('on a standby blames the ledger, not the queue beside it', async () => {
    const settings = await freshSettings();
    await (await open(settings)).close();
    const admin = openTestPool({ ...postgres.connection, max: 1, options: '-c default_transaction_read_only=off' });
    const setReadOnly = (mode: string) =>
      admin.query(`ALTER DATABASE ${postgres.connection.database} SET default_transaction_read_only = ${mode}`);
    await setReadOnly('on');
    const opening = open(settings);
    await expect(opening).rejects.toMatchObject({
      code: 'LEDGER_UNREACHABLE',
      message: expect.stringContaining('the ledger database is read-only, or a standby'),
    });
    await setReadOnly('off');
    await admin.end();
    await expectNothingOpen();
  });

  it('reads the master key from its file when the environment has none', async () => {
    const settings = await freshSettings();
    createMasterKeyFile(settings.paths.masterKey);
    // The key is not the one the database was sealed with; that it is compared at all shows that the file was read.
    await expect(open(settings, {})).rejects.toMatchObject({ code: 'MASTER_KEY_WRONG' });
  });
});

describe('close', () => {
  it('closes everything, and may be called again', async () => {
    const app = await open(await freshSettings());
    await app.close();
    await app.close();
    await expect(app.queue.ring('submit')).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    await expect(app.ledger.pool.query('SELECT 1')).rejects.toThrow();
    await expectNothingOpen();
  });

  it('closes the others when one fails, and tells of it', async () => {
    const app = await open(await freshSettings());
    const entry = { at: '', account: '', fileId: '', batchNo: 1, attempt: 1, sha256: '' };
    await app.ledger.pool.end();
    await expect(app.close()).rejects.toThrow(/end/);
    await expect(app.queue.ring('submit')).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    await expect(app.journal.append(entry)).rejects.toThrow('Cannot write the send journal');
  });
});

describe('look-ups', () => {
  it('find accounts and folders of the configuration, and no others', async () => {
    const app = await open(await freshSettings());
    expect(app.account('one')).toMatchObject({ name: 'one', agentCode: 'ONE' });
    expect(() => app.account('three')).toThrow(/Cannot use account "three": it is no longer in the configuration/);
    expect(app.folder('drop/card')).toMatchObject({ account: 'one', operation: 'card' });
    expect(app.folder('drop/other')).toBeUndefined();
  });

  it('give each account its own gateway, made once, and its own reports', async () => {
    const app = await bound(await open(await freshSettings()));
    expect(app.gateway(chargedOf(app.ledger, 'one'))).toBe(app.gateway(chargedOf(app.ledger, 'one')));
    expect(app.gateway(chargedOf(app.ledger, 'one'))).not.toBe(app.gateway(chargedOf(app.ledger, 'two')));
    expect(() => app.gateway({ account: 'three', merchant_no: 1 })).toThrow('Cannot use account "three"');
    await app.gateway(chargedOf(app.ledger, 'two')).fetchBatchResult({ batchId: '1' });
    expect([service.posts('ONE'), service.posts('TWO')]).toEqual([0, 1]);
    const range = { fromDate: '2026-06-15T00:00:00Z', toDate: '2026-06-16T00:00:00Z' };
    await app.reports(chargedOf(app.ledger, 'one')).getCreditCardApprovedDateRangeCSV(range);
    expect([service.posts('ONE'), service.posts('TWO')]).toEqual([1, 1]);
    expect(() => app.reports({ account: 'three', merchant_no: 1 })).toThrow('Cannot use account "three"');
  });
});

describe('what a monitoring program counts', () => {
  it('has each call with its duration and kind of answer, and each error that is logged', async () => {
    const log = openLog({ destination: { write: () => {} } });
    const app = await openApp(await freshSettings(), { log, env: { PAYDROP_MASTER_KEY: KEY } });
    apps.push(app);
    await bound(app);
    const counted: unknown[] = [];
    app.health.tally.listen((...event) => counted.push(event));
    const seconds = expect.any(Number);
    const operation = 'getBatchProcessResultFile';
    const { kind: answer } = await app.gateway(chargedOf(app.ledger, 'one')).fetchBatchResult({ batchId: '1' });
    await app.askTime('one');
    const submit = { operation: 'card', body: Buffer.alloc(0), beforeFirstByte: async () => true } as never;
    await expect(app.gateway(chargedOf(app.ledger, 'one')).submitBatch(submit)).rejects.toThrow();
    app.log.warn('odd');
    app.log.error('broken');
    expect(counted).toEqual([
      ['paydrop_call_seconds', { operation, answer }, seconds],
      ['paydrop_call_seconds', { operation: 'clock', answer: expect.stringMatching(/^(done|failed)$/) }, seconds],
      ['paydrop_call_seconds', { operation: 'card', answer: 'error' }, seconds],
      ['paydrop_log_lines_total', { level: 'error' }, 1],
    ]);
  });
});
