import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { passesLuhn } from '../../src/kernel/luhn.ts';
import { openLog } from '../../src/kernel/log.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { buildProgram, type Program } from '../support/build-program.ts';
import { findCanaries } from '../support/canaries.ts';
import { type Installation, makeInstallation, PASSWORD, sandboxAccounts } from '../support/installation.ts';
import { achRow, cardRow, codeRow, lines, upTo } from '../support/payment-rows.ts';
import { redisVerdict, startTestRedis, type TestRedis } from '../support/redis.ts';

testCanaries(['postgres', 'redis']);

/**
 * Card and account numbers may exist only in memory and in sealed blobs. Every number here is made up for the test and
 * goes through the whole pipeline in every position in which a sender could put it. Then every byte left behind is
 * searched for it.
 */

const CARDS = ['451234', '531298', '601187', '471122', '431199'].map((prefix, index) =>
  luhnValid(`${prefix}${731_946_502 + index * 7_919}`),
);
const ACCOUNTS = ['02100002100000000918273645', '0210000217364509182', '918273645546', '8877665544'];
const NUMBERS = [...CARDS, ...ACCOUNTS, PASSWORD];

let sandbox: Sandbox | undefined;
let installation: Installation | undefined;
let redis: TestRedis | undefined;
function testCanaries(queues: readonly ('postgres' | 'redis')[]): void {
  afterEach(async () => {
    await installation?.remove();
    await sandbox?.close();
    await redis?.stop();
    installation = sandbox = redis = undefined;
  });

  describe.each(queues)('with the queue on %s', (backend) => {
    const verdict = redisVerdict();
    if (backend === 'redis' && !verdict.isInstalled) {
      it(verdict.sentence, () => expect(verdict.isFine).toBe(true));
      return;
    }

    it('no byte of logs, tables, queue, outputs, sandbox and data holds a number that was in the files', async () => {
      redis = backend === 'redis' ? await startTestRedis() : undefined;
      const root = await runEverything();
      if (redis) await keepRedis(redis.url, root);
      expect(
        await findCanaries(
          [root],
          NUMBERS.filter((number) => number !== PASSWORD),
        ),
      ).toEqual([]);
      const withoutConfig = ['data', 'logs', 'out', 'quarantine', 'sandbox'].map((name) => join(root, name));
      expect(await findCanaries(withoutConfig, [PASSWORD])).toEqual([]);
    }, 180_000);
  });
}

/** Returns the folder that holds everything left behind. */
async function runEverything(): Promise<string> {
  const program = await buildProgram();
  installation = await makeInstallation({ accounts: ['main'], serviceUrl: 'http://127.0.0.1:9' });
  const { root } = installation;
  await mkdir(join(root, 'sandbox'));
  sandbox = await startSandbox({
    batchDelayMs: 50,
    dataDir: join(root, 'sandbox'),
    accounts: sandboxAccounts(['main']),
    log: openLog({
      level: 'debug',
      destination: pino.destination({ dest: join(root, 'logs', 'sandbox'), sync: true }),
    }),
  });
  const config = join(root, 'paydrop.yaml');
  const settings = (await readFile(config, 'utf8')).replaceAll('http://127.0.0.1:9', sandbox.url);
  // Lets short numbers through too.
  await writeFile(config, settings.replaceAll(/^( +)operation: .*$/gm, '$&\n$1routingCheck: false'));
  for (const [folder, name, rows] of drops()) await installation.drop(`main/${folder}`, name, rows);
  const run = commandsIn(program, root, redis ? { REDIS_URL: redis.url } : {});
  const first = await run('run', '--once', '--timeout', '90');
  expect([0, 2, 3], first.stderr).toContain(first.status);
  // Run together, so that one start of the database is enough for all of them.
  const [shown] = await Promise.all([
    run('status', '--json'),
    run('status'),
    run('find', '--invoice', CARDS[0]!),
    run('validate', join(root, 'nothing-here', CARDS[1]!), '--operation', 'card'),
  ]);
  // The files went through: rows were taken by the service, and files were accepted, refused and held.
  expect(sandbox.books().length).toBeGreaterThan(60);
  const states = (JSON.parse(shown.stdout) as { files: { state: string }[] }).files.map((row) => row.state);
  expect(states).toEqual(expect.arrayContaining(['completed', 'held', 'rejected']));
  return root;
}

/** Runs commands of the product, and keeps everything they print among the logs. */
function commandsIn(program: Program, root: string, env: Record<string, string>) {
  let started = 0;
  return async (...words: string[]): Promise<{ status: number | null; stdout: string; stderr: string }> => {
    const own = { ...process.env, PAYDROP_LOG_LEVEL: 'debug', PAYDROP_DASHBOARD: 'off', ...env };
    const log = join(root, 'logs', String((started += 1)));
    const [out, err] = await Promise.all([open(`${log}.out`, 'w'), open(`${log}.err`, 'w')]);
    const stdio = ['ignore', out.fd, err.fd] as const;
    const child = spawn(process.execPath, [program.main, '--dir', root, ...words], { stdio: [...stdio], env: own });
    const [status] = (await once(child, 'exit')) as [number | null];
    await Promise.all([out.close(), err.close()]);
    return { status, stdout: await readFile(`${log}.out`, 'utf8'), stderr: await readFile(`${log}.err`, 'utf8') };
  };
}

/** Returns files with numbers in their own columns, wrong ones, names, faulty rows and unreadable files. */
function drops(): [folder: string, name: string, content: string][] {
  const [visa = '', master = '', discover = '', second = '', third = ''] = CARDS;
  const [long = '', middle = '', short = '', ten = ''] = ACCOUNTS;
  const good = upTo(20).map((n) => cardRow(n));
  return [
    [
      'card',
      'good.csv',
      lines([
        cardRow(1, { card: visa }),
        cardRow(2, { card: master, mop: 'MC' }),
        cardRow(3, { card: discover, mop: 'DSC' }),
        ...good.map((row) => row.replace('C-', 'G-')),
      ]),
    ],
    [
      'card',
      `${second}.csv`,
      lines([cardRow(1, { card: second, invoice: 'N-1' }), ...upTo(20).map((n) => cardRow(n, { invoice: `O-${n}` }))]),
    ],
    [
      'card',
      'bad-rows.csv',
      lines([
        ...upTo(40).map((n) => cardRow(n, { invoice: `B-${n}` })),
        cardRow(41, { card: `${visa.slice(0, 4)} ${visa.slice(4)}` }),
        cardRow(42, { invoice: third, card: master }),
        cardRow(43, { street: `card ${third}` }),
      ]),
    ],
    ['card', 'swapped.csv', lines(upTo(3).map((n) => cardRow(n, { invoice: visa, card: `S-${n}` })))],
    [
      'card',
      'stray-quote.csv',
      lines([cardRow(1, { card: visa }).replace('Ada', '"Ada'), cardRow(2, { card: master })]),
    ],
    ['card', 'too-many.csv', lines([`${cardRow(1, { card: second })},${third}`])],
    ['card', 'code.csv', lines([codeRow(1, { code: third }), codeRow(2, { comment: `number ${third}` })])],
    [
      'ach-charge',
      'bank.csv',
      lines([
        achRow(1, { account: long }),
        achRow(2, { account: middle }),
        achRow(3, { account: short }),
        ...upTo(30).map((n) => achRow(100 + n)),
      ]),
    ],
    [
      'ach-charge',
      'bank-comment.csv',
      lines([
        ...upTo(20).map((n) => achRow(200 + n)),
        achRow(1, { account: ten, comment: `account ${ten}`, invoice: 'T-1' }),
      ]),
    ],
    [
      'ach-refund',
      'wrong-sign.csv',
      lines([achRow(1, { account: long, amount: '5.00' }), achRow(2, { amount: '-5.00' })]),
    ],
    ['ach-refund', 'latin.csv', `${achRow(1, { account: short, amount: '-5.00' })}\u0000\n`],
  ];
}

/** Makes Redis write everything it holds into the folder that is searched. */
async function keepRedis(url: string, root: string): Promise<void> {
  const { port } = new URL(url);
  const dump = spawnSync('redis-cli', ['-p', port, '--rdb', join(root, 'logs', 'redis.rdb')]);
  expect(dump.status, String(dump.stderr)).toBe(0);
}

function luhnValid(first15: string): string {
  const digits = upTo(10).map((n) => `${first15}${n % 10}`);
  return digits.find(passesLuhn)!;
}
