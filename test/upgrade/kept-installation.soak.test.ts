import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import { openPool } from '../../src/ledger/engine/open-ledger.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { type Ran, runHere } from '../cli/support/run-here.ts';
import { cardRow, lines } from '../support/payment-rows.ts';
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts';

const KEPT = fileURLToPath(new URL('./0.1.0/', import.meta.url));
/** The service as the kept installation knows it. */
const KEPT_SERVICE = 'http://127.0.0.1:8871';

let root: string;
let postgres: TestPostgres;
let service: Sandbox;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-kept-'));
  await cp(KEPT, root, { recursive: true });
  await chmod(join(root, 'data', 'master.key'), 0o600);
  const codes = ['DONE01', 'DOUBT1', 'LATER1', 'TEST88', 'PAIRS1', 'OTHERS'];
  service = await startSandbox({
    accounts: codes.map((agentCode) => ({ agentCode, password: 'TEST88' })),
    batchDelayMs: 10,
  });
  await spendBatchIds();
  const config = await readFile(join(root, 'paydrop.yaml'), 'utf8');
  await writeFile(join(root, 'paydrop.yaml'), config.replaceAll(KEPT_SERVICE, service.url), { mode: 0o600 });
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

/** The service has given out batch ids since; one that it gave before would stop an account. */
async function spendBatchIds(): Promise<void> {
  const login = {
    server: 'NA',
    agentCode: 'OTHERS',
    password: 'TEST88',
    currency: 'USD',
    baseUrl: service.url,
  } as const;
  const gateway = createGateway({ ...login, connectTimeoutMs: 5_000, answerTimeoutMs: 5_000 });
  const body = Buffer.from(lines([cardRow(1)]));
  for (let n = 0; n < 10; n += 1)
    await gateway.submitBatch({ operation: 'processCreditCardBatch', body, beforeFirstByte: async () => true });
}

function paydrop(...words: string[]): Promise<Ran> {
  return runHere(['--dir', root, ...words]);
}

async function stateOf(name: string): Promise<string> {
  const { out } = await paydrop('show', name, '--json');
  return (JSON.parse(out) as { file: { state: string } }).file.state;
}

/** The tests build on each other. */
describe('an installation of 0.1.0', () => {
  it('is restored with all that waited in it', async () => {
    expect(await paydrop('restore', join(root, 'ledger.backup'))).toMatchObject({ status: 0, err: '' });
    const { out } = await paydrop('status');
    for (const words of [
      /^doubt .*lost\.csv +in doubt/m,
      /^refused .*refused\.csv +refused/m,
      /kept for later/,
      /pair\.csv/,
      /later/,
    ])
      expect(out).toMatch(words);
    expect(await paydrop('status', '--check')).toMatchObject({ status: 5 });
  });

  it('has the stories of its files, and makes its outputs again as the same bytes', async () => {
    expect((await paydrop('why', 'lost.csv/1')).out).toContain('ECONNRESET');
    const { outputs } = JSON.parse((await paydrop('rebuild-outputs', 'done.csv', '--json')).out) as {
      outputs: Output[];
    };
    expect(outputs.filter(({ onDisk, rebuilt }) => onDisk !== 'same' || rebuilt !== 'same')).toEqual([]);
    expect(outputs.length).toBeGreaterThan(3);
    expect(await paydrop('audit', 'verify')).toMatchObject({ status: 0, err: '' });
  });

  it('goes on with what waited, and sends nothing twice', async () => {
    expect(await paydrop('init', root)).toMatchObject({ status: 0 });
    await paydrop('run', '--once', '--timeout', '60');
    const why = ['--reason', 'after the upgrade'];
    // The service of this test is at another port; one answer holds for every account of that address.
    expect(await paydrop('account', 'address', 'main', '--moved', ...why)).toMatchObject({ status: 0, err: '' });
    await paydrop('run', '--once', '--timeout', '60');
    for (const words of [
      ['resolve', 'lost.csv/1', '--close-in-doubt', ...why],
      ['withdraw', 'refused.csv/1', ...why],
      ['refuse', '1'],
      ['decline', 'pair.csv', ...why],
      ['approve', 'held.csv', ...why],
      ['account', 'resume', 'main', ...why],
    ])
      expect([words, await paydrop(...words)]).toMatchObject([words, { status: 0, err: '' }]);
    await paydrop('run', '--once', '--timeout', '60');
    for (const [name, state] of [
      ['done.csv', 'completed'],
      ['lost.csv', 'completed'],
      ['held.csv', 'completed'],
      ['refused.csv', 'partly_cancelled'],
      ['pair.csv', 'cancelled'],
      ['spoiled.csv', 'rejected'],
    ] as const)
      expect([name, await stateOf(name)], (await paydrop('why', name)).out).toEqual([name, state]);
    // Nothing that it may have sent was sent again: not its done, lost and forgotten rows.
    const booked = service.books().filter(({ account }) => account !== 'OTHERS');
    expect(booked.map(({ invoice }) => invoice).toSorted()).toEqual(['H-1', 'H-1', 'L-3']);
    expect(await paydrop('audit', 'verify')).toMatchObject({ status: 0, err: '' });
  });

  it('is refused when a newer version has used the ledger, by every command, and stays as it is', async () => {
    const pool = openPool({ connectionString: postgres.url }, { log: silentLog() });
    await pool.query(`INSERT INTO migration (name) VALUES ('9.9.9')`);
    const links = async () => (await pool.query('SELECT count(*) AS links FROM audit')).rows;
    const before = await links();
    for (const words of [
      ['status'],
      ['run', '--once'],
      ['approve', 'held.csv', '--reason', 'x'],
      ['backup', join(root, 'b')],
    ]) {
      const ran = await paydrop(...words);
      expect([words, ran.status > 0, ran.out, ran.err]).toEqual([
        words,
        true,
        '',
        expect.stringContaining('"9.9.9" was applied'),
      ]);
    }
    expect(await links()).toEqual(before);
    await pool.end();
  });
});

type Output = { kind: string; onDisk: string; rebuilt: string };
