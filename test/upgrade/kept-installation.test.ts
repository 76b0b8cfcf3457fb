import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { type Ran, runHere } from '../cli/support/run-here.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import { cardRow, lines } from '../support/payment-rows.ts';
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts';

const KEPT = fileURLToPath(new URL('./kept/', import.meta.url));
const OLD_NAME =
  'Warning: "desk" is now called "dashboard"; rename it, because a later version will not accept the old name.\n';

let root: string;
let postgres: TestPostgres;
let service: Sandbox;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-kept-'));
  await cp(KEPT, root, { recursive: true });
  await chmod(join(root, 'data', 'master.key'), 0o600);
  const accounts = ['TEST88', 'DOUBT1', 'PAIRS1', 'NOBODY'].map((agentCode) => ({ agentCode, password: 'TEST88' }));
  service = await startSandbox({ accounts, batchDelayMs: 10 });
  // The service has given out batch ids since; one that it gave before would stop an account.
  await spendBatchIds();
  const config = await readFile(join(root, 'paydrop.yaml'), 'utf8');
  await writeFile(join(root, 'paydrop.yaml'), config.replaceAll('http://127.0.0.1:8871', service.url));
  postgres = await startTestPostgres({ schema: 'empty' });
  vi.stubEnv('DATABASE_URL', postgres.url);
  vi.stubEnv('PAYDROP_LOG_LEVEL', 'silent');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await postgres.stop();
  await service.close();
  await rm(root, { recursive: true, force: true });
});

async function spendBatchIds(): Promise<void> {
  const login = {
    server: 'NA',
    agentCode: 'PAIRS1',
    password: 'TEST88',
    currency: 'USD',
    baseUrl: service.url,
  } as const;
  const gateway = createGateway({ ...login, connectTimeoutMs: 5_000, answerTimeoutMs: 5_000 });
  const body = Buffer.from(lines([cardRow(1)]));
  for (let n = 0; n < 10; n += 1)
    await gateway.submitBatch({ operation: 'processCreditCardBatch', body, beforeFirstByte: async () => true });
}

/** Runs a command; each warns of the setting's former name. */
async function paydrop(...words: string[]): Promise<Ran> {
  const ran = await runHere(['--dir', root, ...words]);
  expect(ran.err.startsWith(OLD_NAME), ran.err).toBe(true);
  return { ...ran, err: ran.err.slice(OLD_NAME.length) };
}

async function stateOf(name: string): Promise<string> {
  const { out } = await paydrop('show', name, '--json');
  return (JSON.parse(out) as { file: { state: string } }).file.state;
}

/** The tests build on each other. */
describe('an installation of an earlier version', () => {
  it('is restored with all that waited in it', async () => {
    expect(await paydrop('restore', join(root, 'ledger.backup'))).toMatchObject({ status: 0, err: '' });
    const { out, status } = await paydrop('status');
    for (const words of [
      /^doubt .*lost2\.csv +in doubt/m,
      /^refused .*refused\.csv +refused/m,
      /kept for later/,
      /pair\.csv/,
    ])
      expect(out).toMatch(words);
    expect(status).toBe(0);
    expect(await paydrop('status', '--check')).toMatchObject({ status: 5 });
  });

  it('has the stories of its files, and makes its outputs again: but for words, as the same bytes', async () => {
    expect((await paydrop('why', 'lost2.csv/1')).out).toContain('ECONNRESET');
    for (const name of ['done.csv', 'lost.csv']) {
      const { outputs } = JSON.parse((await paydrop('rebuild-outputs', name, '--json')).out) as { outputs: Output[] };
      const others = outputs.filter(({ onDisk, rebuilt }) => onDisk !== 'same' || rebuilt !== 'same');
      expect(others).toMatchObject([{ kind: 'summary-txt', onDisk: 'same', rebuilt: 'differs' }]);
      expect(outputs.length).toBeGreaterThan(3);
    }
    expect(await paydrop('audit', 'verify')).toMatchObject({ status: 0, err: '' });
  });

  it('goes on with what waited, by the former names of options', async () => {
    expect(await runHere(['--dir', root, 'init', root])).toMatchObject({ status: 0 });
    await paydrop('run', '--once', '--timeout', '60');
    const why = ['--reason', 'after the upgrade'];
    expect(await paydrop('resolve', 'lost2.csv/1', '--close-in-doubt', '--dry-run', ...why)).toMatchObject({
      status: 0,
    });
    for (const words of [
      ['resolve', 'lost2.csv/1', '--close-in-doubt', ...why],
      ['withdraw', 'refused.csv/1', ...why],
      ['refuse', '1'],
      ['decline', 'pair.csv', ...why],
      ['approve', 'held.csv', ...why],
      ['account', 'resume', 'main', ...why],
    ])
      expect([words, await paydrop(...words)]).toMatchObject([words, { status: 0, err: '' }]);
    expect(await paydrop('run', '--once', '--timeout', '60')).toMatchObject({ status: 0 });
    for (const [name, state] of [
      ['done.csv', 'completed'],
      ['lost2.csv', 'completed'],
      ['held.csv', 'completed'],
      ['refused.csv', 'partly_cancelled'],
      ['pair.csv', 'cancelled'],
      ['spoiled.csv', 'rejected'],
    ] as const)
      expect([name, await stateOf(name)], (await paydrop('why', name)).out).toEqual([name, state]);
    const [result = ''] = (await readdir(join(root, 'out'))).filter((name) => /^held__.*[.]result[.]csv$/.test(name));
    const [titles] = (await readFile(join(root, 'out', result), 'utf8')).split('\r\n');
    expect(titles, 'it keeps the form of the version that took it').toMatch(/^Line,.*,Result At,Attempt$/);
    // Nothing that the earlier version may have sent was sent again.
    const booked = service.books().filter(({ account }) => account !== 'PAIRS1');
    expect(booked.map(({ invoice }) => invoice)).toEqual(['L-23', 'K-11', 'K-12']);
    expect(await paydrop('audit', 'verify')).toMatchObject({ status: 0, err: '' });
  });
});

type Output = { kind: string; onDisk: string; rebuilt: string };
