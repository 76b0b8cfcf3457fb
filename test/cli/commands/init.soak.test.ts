import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { paydropWords, runPaydrop, shortenWaits, startChild, startPaydrop, stepsOf } from '../support/run-child.ts';
import { runHere } from '../support/run-here.ts';
import { quoteWord } from '../../../src/cli/print/paydrop-line.ts';
import { achRow, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { textOf } from '../../support/openpgp.ts';
import { openApp } from '../../../src/app.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';
import { isPostmaster, readPostmasterFile } from '../../../src/ledger/postgres/ask-server.ts';

let root = '';

/** Avoids a shell around the process, which would swallow signals. */
function asCommand(line: string): string {
  return `exec ${line}`;
}

/** Starts the sandbox on a free port, because the usual one may be in use. @returns its address */
async function startSandbox(line: string): Promise<string> {
  const sandbox = startChild('sh', ['-c', `${line} --port 0`]);
  await sandbox.says('Ctrl-C ends it.');
  return /listens on (\S+)/.exec(sandbox.err())?.[1] ?? '';
}

describe('init', () => {
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'paydrop init-'));
    // The embedded PostgreSQL may run as another user, who needs access through this folder.
    await chmod(root, 0o711);
    vi.stubEnv('DATABASE_URL', '');
    vi.stubEnv('PAYDROP_MASTER_KEY', '');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(root, { recursive: true });
  });

  it('init prints next steps that work from an empty folder; other commands share the database of start', async () => {
    const { out } = await runPaydrop(['init', root]);
    const [sandbox, start, copy] = stepsOf(out).map(asCommand);
    await shortenWaits(root, await startSandbox(sandbox!));
    expect(await startChild('sh', ['-c', copy!]).ended).toMatchObject({ status: 0 });

    const daemon = startChild('sh', ['-c', start!]);
    const results = async () => (await readdir(join(root, 'out'))).filter((name) => name.endsWith('.result.csv'));
    await daemon.says('paydrop is running');
    await expect.poll(results).toHaveLength(1);
    const server = await serverOf(root);
    const beside = ['--dir', root];
    expect(await runHere([...beside, 'status', '--check'])).toMatchObject({ status: 0 });
    expect(await runHere([...beside, 'show', 'card.csv'])).toMatchObject({ status: 0 });
    expect((await runHere([...beside, 'find', '--invoice', 'C-1002'])).out).toContain('APPROVED');
    expect(await serverOf(root)).toMatchObject({ pid: server.pid });
    expect(await server.isAlive()).toBe(true);

    daemon.process.kill('SIGTERM');
    expect(await daemon.ended).toEqual({ status: 0, signal: null });
    expect(await server.isAlive()).toBe(false);
  });
});

describe('demo, as a process', { timeout: 180_000 }, () => {
  it('takes the samples to their end, shows that all books agree, and leaves no process behind', async () => {
    const demo = await startPaydrop(['demo'], NOBODY_THERE);
    const root = await folderOf(demo);
    const server = await serverOf(root);
    expect(await demo.ended).toEqual({ status: 0, signal: null });
    expect(await server.isAlive()).toBe(false);
    expect(demo.err()).toBe('');
    expectSamplesDone(demo.out(), root);
  });

  it('comes to a tidy end at Ctrl-C', async () => {
    const demo = await startPaydrop(['demo']);
    const server = await serverOf(await folderOf(demo));
    demo.process.kill('SIGINT');
    expect(await demo.ended).toEqual({ status: 5, signal: null });
    expect(await server.isAlive()).toBe(false);
    expect(demo.err()).toBe('Cannot finish the samples: it was stopped. Start the demo again.\n');
  });

  it('leaves the dashboard open when it is asked to, with a link to set it up, until Ctrl-C', async () => {
    const demo = await startPaydrop(['demo', '--keep']);
    const server = await serverOf(await folderOf(demo));
    await expect.poll(demo.out, { timeout: 120_000 }).toMatch(/The dashboard is open on http:\S+\. Ctrl-C ends it\.\n/);
    const [link = ''] = /http:\S+\/set-up\/[\w-]{43}/.exec(demo.out()) ?? [];
    const form = { name: 'ann', password: 'four words nobody guesses', repeated: 'four words nobody guesses' };
    const { headers } = await fetch(link, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
    const [cookie = ''] = headers.getSetCookie();
    const answer = await fetch(new URL('/', link), { headers: { cookie, accept: 'text/html' } });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Today')]);
    demo.process.kill('SIGINT');
    expect(await demo.ended).toEqual({ status: 0, signal: null });
    expect(await server.isAlive()).toBe(false);
  });
});

describe('the command line as a process', () => {
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'paydrop-main-'));
  });
  afterAll(() => rm(root, { recursive: true }));

  it('--help: data on standard output, status 0', async () => {
    const { status, out, err } = await runPaydrop(['--help']);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toContain('Exit status:');
  });

  it('an error is one sentence on standard error without a stack, status 5', async () => {
    const account = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'A', password: 'P' };
    const folders = [{ path: 'in', account: 'main', operation: 'card' }];
    await writeFile(join(root, 'paydrop.yaml'), JSON.stringify({ accounts: { main: account }, folders }));
    const env = { DATABASE_URL: 'postgres://nobody:hidden@127.0.0.1:1/never' };
    const { status, out, err } = await runPaydrop(['--dir', root, 'status'], env);
    expect({ status, out }).toEqual({ status: 5, out: '' });
    expect(err).toMatch(/^Cannot open the ledger: .*DATABASE_URL is right\.\n$/);
    expect(err).not.toContain('hidden');
  });

  it('a reader that goes away early, as head does, changes nothing of the exit status', async () => {
    // Far more than a pipe holds.
    const path = join(root, 'many faults.csv');
    await writeFile(path, lines(upTo(2_000).map((n) => cardRow(n, { amount: 'ten' }))));
    const line = [...(await paydropWords()), 'validate', path, '--operation', 'card', '--json']
      .map(quoteWord)
      .join(' ');
    const piped = startChild('sh', ['-c', `{ ${line}; echo "status $?" >&2; } | head -n 1`]);
    await piped.ended;
    expect(piped.out()).toBe('{"faults":[\n');
    expect(piped.err()).toBe('status 2\n');
  });
});

let world: CliWorld;
let path = '';

async function drop(name: string, rows: number): Promise<void> {
  const charges = upTo(rows).map((n) => achRow(n, { invoice: `${name}-${n}` }));
  await world.drop('ach-charge', `${name}.csv`, lines(charges));
}

/** Returns how often the service booked each invoice. */
function booked(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { invoice } of world.sandbox.books()) counts[invoice] = (counts[invoice] ?? 0) + 1;
  return counts;
}

const ONCE = Object.fromEntries(
  ['before-1', 'before-2', 'waiting-1', 'waiting-2', 'waiting-3', 'waiting-4', 'after-1', 'after-2'].map((invoice) => [
    invoice,
    1,
  ]),
);

describe('restore', () => {
  beforeAll(async () => {
    world = await openCliWorld({ settings: { batch: { maxRows: 2 } } });
    path = join(world.root, 'a.backup');
    // One file is sent before the backup, one waits during it, and one is sent after.
    await drop('before', 2);
    await world.finish();
    await world.paydrop('account', 'pause', 'main', '--reason', 'wait');
    await drop('waiting', 4);
    await world.finish();
    await world.paydrop('backup', path);
    await world.paydrop('account', 'resume', 'main', '--reason', 'go on');
    await drop('after', 2);
    await world.finish();
  });
  afterAll(() => world.close());

  it('refuses while a process works with the ledger', async () => {
    expect(booked()).toEqual(ONCE);
    const { status, err } = await world.paydrop('restore', path, '--replace');
    expect(status).toBe(5);
    expect(err).toContain('a paydrop process is using it. Stop all paydrop processes');
  });

  it('refuses a ledger that holds files', async () => {
    await world.app.close();
    const { status, err } = await world.paydrop('restore', path);
    expect(status).toBe(5);
    expect(err).toContain('--replace');
  });

  it('puts the older ledger in place, and nothing that was sent since can be sent again', async () => {
    const { status, out } = await world.paydrop('restore', path, '--replace');
    expect(out).toContain('is kept in the schema paydrop_before_');
    expect(out).toContain('Account main was stopped: the ledger that was here before knows 3 calls');
    expect(out).toContain('Batches in doubt: 2; calls that no batch explains: 1.');
    expect(status).toBe(5);

    world.app = await openApp(world.settings, { log: silentLog(), env: {} });
    await world.paydrop('account', 'resume', 'main', '--reason', 'hasty');
    await world.finish();
    await world.paydrop('account', 'acknowledge', 'main', '--reason', 'looked them up at the service');
    await world.paydrop('account', 'resume', 'main', '--reason', 'dealt with');
    await drop('after', 2);
    await world.finish();
    expect(booked()).toEqual(ONCE);
    expect(await world.states()).toEqual({
      'before.csv': 'completed',
      'waiting.csv': 'in_progress',
      'after.csv': 'held',
    });
    expect(await world.paydrop('audit', 'verify')).toMatchObject({ status: 0 });
  });

  it('says so when nothing was sent since', async () => {
    const later = join(world.root, 'later.backup');
    await world.paydrop('backup', later);
    await world.app.close();
    const { status, out } = await world.paydrop('restore', later, '--replace', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ stopped: [], keptAs: expect.stringMatching(/^paydrop_before_\d{17}$/) });
    world.app = await openApp(world.settings, { log: silentLog(), env: {} });
  });

  it('names the master key that is missing, and changes nothing until the person says that this is known', async () => {
    const { id } = world.app.keys.current;
    await world.app.close();
    vi.stubEnv('PAYDROP_MASTER_KEY', textOf(9));
    const later = join(world.root, 'later.backup');
    expect((await world.paydrop('restore', later, '--replace')).err).toContain(`Master key ${id} is not at hand`);
    expect((await world.paydrop('show', 'after.csv')).out).toContain('held');
    const { status, out } = await world.paydrop('restore', later, '--replace', '--without-keys', '--json');
    expect([status, JSON.parse(out)]).toMatchObject([5, { missingKeys: [id] }]);
    vi.stubEnv('PAYDROP_MASTER_KEY', '');
    world.app = await openApp(world.settings, { log: silentLog(), env: {} });
  });
});

/** Addresses without a server: the demo must ignore what the environment names. */
const NOBODY_THERE = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/never',
  REDIS_URL: 'redis://127.0.0.1:1',
};

/** Waits until a demo names its scratch folder, and removes that after the test. */
async function folderOf(demo: { out(): string }): Promise<string> {
  await expect.poll(demo.out, { interval: 10 }).toMatch(/^Working in .*\n/);
  const [, root = ''] = /^Working in (.*)\n/.exec(demo.out()) ?? [];
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

/** Expects what a demo prints about its samples at the end. */
function expectSamplesDone(out: string, root: string): void {
  const table = out.split('\n').filter((line) => /^\S+\.csv +(main|canada) /.test(line));
  expect(table).toHaveLength(10);
  expect(table.filter((line) => / completed /.test(line))).toHaveLength(8);
  expect(table.find((line) => line.startsWith('same-again.csv'))).toMatch(
    /nothing sent: this account has already taken a file with the same bytes/,
  );
  expect(out).toContain('match, row by row and to the cent.');
  for (const words of ['status', 'show card.csv', 'find --invoice C-1002'])
    expect(out).toMatch(new RegExp(`\\n {2}(?:npm run paydrop --|node \\S+/main\\.js) --dir ${root} ${words}\\n`));
}

/** Waits for the embedded PostgreSQL of a folder and returns its process. Its data must lie in the folder itself. */
async function serverOf(root: string): Promise<{ pid: number; isAlive(): Promise<boolean> }> {
  const dataDir = join(root, 'data');
  const place = { dataDir, home: join(dataDir, 'postgres'), user: undefined };
  const read = async () => (await readPostmasterFile(place))?.pid;
  await expect.poll(read, { interval: 20 }).toBeGreaterThan(0);
  const pid = (await read()) ?? 0;
  // A dead process keeps its number until it is reaped, which never happens in a container without an init.
  return { pid, isAlive: () => isPostmaster(pid, place) };
}
