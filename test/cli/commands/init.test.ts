import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  readAccounts,
  readSandboxOptions,
  SANDBOX_ACCOUNTS,
  SANDBOX_SWITCHES,
} from '../../../src/cli/commands/sandbox.ts';
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { startTestPostgres } from '../../support/postgres.ts';
import { freshFolder } from '../../files/support/fresh-folder.ts';
import { holdFlags, shortenWaits, startChild, stepsOf, wordsOf } from '../support/run-child.ts';
import { fakeTerminal, nameAsInCheckout, pipedInput, runHere, startHere } from '../support/run-here.ts';
import { COUNTRIES } from '../../../schemas/layouts.ts';
import { FOLDER_OPERATIONS } from '../../../schemas/operations.ts';
import { askSetup, operationsIn, sampleFor, starterConfig, USUAL_SETUP } from '../../../src/cli/commands/init.ts';
import { loadSettings } from '../../../src/config/config.ts';
import { packageRoot } from '../../../src/cli/package-version.ts';
import { makeProgram } from '../../../src/cli/run-command-line.ts';
import { FEATURES } from '../../../src/features.ts';

let root = '';

async function modes(): Promise<Record<string, string>> {
  const names = await readdir(root, { recursive: true });
  const found = await Promise.all(
    names.map(async (name) => [name, (await stat(join(root, name))).mode & 0o777] as const),
  );
  return Object.fromEntries(found.map(([name, mode]) => [name, mode.toString(8)]));
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

  it('makes everything, for its owner only', async () => {
    const { status, out, err } = await runHere(['init', root]);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toContain(
      `Made ${join(root, 'paydrop.yaml')}\nDrop files into: drop/card, drop/ach-charge, drop/ach-refund\n`,
    );
    expect(await modes()).toEqual({
      'paydrop.yaml': '600',
      data: '700',
      'data/master.key': '600',
      'data/sandbox': '700',
      drop: '700',
      'drop/card': '700',
      'drop/ach-charge': '700',
      'drop/ach-refund': '700',
      out: '700',
      quarantine: '700',
    });
  });

  it('keeps everything when it is run again', async () => {
    await runHere(['--dir', root, 'init']);
    await writeFile(join(root, 'drop/card/waiting.csv'), 'x');
    const read = async () => Promise.all(['paydrop.yaml', 'data/master.key'].map((name) => readFile(join(root, name))));
    const [before, beforeModes] = [await read(), await modes()];
    const { status, out } = await runHere(['init', root]);
    expect(status).toBe(0);
    expect(out).toContain(`Kept ${join(root, 'paydrop.yaml')}`);
    expect(out).not.toContain('samples');
    expect(await read()).toEqual(before);
    expect(await modes()).toEqual(beforeModes);
  });

  it('makes the folders of a configuration that was there before, and says when that is broken', async () => {
    const account = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'A', password: 'P' };
    const folders = [{ path: 'in', account: 'main', operation: 'card' }];
    const own = { accounts: { main: account }, folders, paths: { out: 'done', data: 'var' } };
    await writeFile(join(root, 'paydrop.yaml'), JSON.stringify(own));
    expect(await runHere(['init', root])).toMatchObject({
      status: 0,
      out: expect.stringContaining('Drop files into: in\n'),
    });
    expect(Object.keys(await modes()).sort()).toEqual([
      'done',
      'in',
      'paydrop.yaml',
      'quarantine',
      'var',
      'var/master.key',
    ]);
    await writeFile(join(root, 'paydrop.yaml'), 'accounts: [\n');
    const broken = await runHere(['init', root]);
    expect(broken).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/paydrop\.yaml": line \d/) });
    expect(await readFile(join(root, 'paydrop.yaml'), 'utf8')).toBe('accounts: [\n');
  });

  it('makes no key file where the environment has the key', async () => {
    vi.stubEnv('PAYDROP_MASTER_KEY', Buffer.alloc(32, 7).toString('base64'));
    const { out } = await runHere(['init', root]);
    expect(out).toContain('Keep a copy of the key in PAYDROP_MASTER_KEY');
    expect(await modes()).not.toHaveProperty('data/master.key');
  });

  /** `init.soak.test.ts` tests them as processes, with the embedded database. */
  it('prints next steps that work from an empty folder', async () => {
    nameAsInCheckout();
    const postgres = await startTestPostgres();
    onTestFinished(() => postgres.stop());
    vi.stubEnv('DATABASE_URL', postgres.url);
    vi.stubEnv('PAYDROP_LOG_LEVEL', 'silent');
    const { out } = await runHere(['init', root]);
    const [sandboxLine, startLine, copy] = stepsOf(out);

    expect(await wordsOf(sandboxLine!)).toEqual(['sandbox', '--data', join(root, 'data', 'sandbox')]);
    const sandbox = await startSandbox({ accounts: readAccounts(SANDBOX_ACCOUNTS), batchDelayMs: 50 });
    onTestFinished(() => sandbox.close());
    await shortenWaits(root, sandbox.url);
    expect(await startChild('sh', ['-c', copy!]).ended).toMatchObject({ status: 0 });

    expect(holdFlags()).toEqual([]);
    const start = startHere(await wordsOf(startLine!));
    const results = async () => (await readdir(join(root, 'out'))).filter((name) => name.endsWith('.result.csv'));
    await expect.poll(results).toHaveLength(1);
    const beside = ['--dir', root];
    expect(await runHere([...beside, 'status', '--check'])).toMatchObject({ status: 0 });
    expect(await runHere([...beside, 'show', 'card.csv'])).toMatchObject({ status: 0 });
    expect((await runHere([...beside, 'find', '--invoice', 'C-1002'])).out).toContain('APPROVED');
    await start.interrupt();
    expect(await start.ended).toEqual({ status: 0, out: '', err: '' });
  });
});

it('starterConfig is a configuration with a folder for every operation, for the sandbox at its usual port', async () => {
  const root = await freshFolder();
  await writeFile(join(root, 'paydrop.yaml'), starterConfig(USUAL_SETUP));
  const { folders, accounts } = loadSettings(root, {});
  expect(folders.map((folder) => folder.operation).sort()).toEqual(Object.keys(FOLDER_OPERATIONS).sort());
  expect([...accounts.values()].map((account) => account.baseUrl)).toEqual(['http://127.0.0.1:8899']);
});

it.each(COUNTRIES)(
  'starterConfig is a configuration for %s, with a sample that is valid in its first folder',
  async (country) => {
    const root = await freshFolder();
    const setup = { account: 'shop', country, operations: operationsIn(country) };
    await writeFile(join(root, 'paydrop.yaml'), starterConfig(setup));
    const { folders, accounts } = loadSettings(root, {});
    expect([...accounts.keys()]).toEqual(['shop']);
    expect(folders.map((folder) => folder.operation)).toEqual(
      country === 'UK' ? ['card'] : Object.keys(FOLDER_OPERATIONS),
    );
    const sample = join(packageRoot(), 'samples', sampleFor(setup));
    const checked = await runHere(['--dir', root, 'validate', sample, '--operation', folders[0]!.operation]);
    expect(checked).toMatchObject({ status: 0, err: '' });
  },
);

describe('askSetup', () => {
  it('takes what is in brackets for an empty answer', async () => {
    expect(await askSetup(fakeTerminal(['', '', '']))).toEqual(USUAL_SETUP);
  });

  it('asks again for what does not fit, and offers only what the country has', async () => {
    const terminal = fakeTerminal(['My Shop', 'shop', 'FR', 'uk', 'card, ach-charge', 'card']);
    expect(await askSetup(terminal)).toEqual({ account: 'shop', country: 'UK', operations: ['card'] });
    expect(terminal.shown()).toContain('"My Shop" does not fit.\n');
    expect(terminal.shown()).toContain('Drop folders, separated by commas [card]: ');
  });

  it('takes the folders in their usual order', async () => {
    const { operations } = await askSetup(fakeTerminal(['', 'ca', ' ach-refund,card ']));
    expect(operations).toEqual(['card', 'ach-refund']);
  });

  it('needs a terminal', async () => {
    await expect(askSetup(pipedInput())).rejects.toThrow('Leave out --interactive.');
  });
});

describe('readAccounts', () => {
  it('reads codes and passwords; a password may hold a colon', () => {
    expect(readAccounts('A1:secret, B2:with:colon')).toEqual([
      { agentCode: 'A1', password: 'secret' },
      { agentCode: 'B2', password: 'with:colon' },
    ]);
  });

  it('binds an account to a server that stands behind it, and no other word', () => {
    expect(readAccounts('A1:one@UK,B2:two@NA,C3:me@home,D4:p@UK@NA,E5:@UK')).toEqual([
      { agentCode: 'A1', password: 'one', server: 'UK' },
      { agentCode: 'B2', password: 'two', server: 'NA' },
      { agentCode: 'C3', password: 'me@home' },
      { agentCode: 'D4', password: 'p@UK', server: 'NA' },
      { agentCode: 'E5', password: '@UK' },
    ]);
  });

  it.each([
    ['', 'entry 1'],
    ['A1', 'entry 1'],
    ['A1:', 'entry 1'],
    [':secret', 'entry 1'],
    ['A1:secret,', 'entry 2'],
    ['A1:secret,B2 hidden', 'entry 2'],
    ['A1:secret,A1:hidden', '"A1" is in it twice'],
  ])('refuses %j', (text, place) => {
    expect(() => readAccounts(text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(() => readAccounts(text)).toThrow(place);
    expect(() => readAccounts(text)).not.toThrow(/secret|hidden/);
  });
});

it('SANDBOX_ACCOUNTS has every account of the sample and of the starter configuration', () => {
  const sample = readFileSync(join(packageRoot(), 'samples', 'paydrop.yaml'), 'utf8');
  const wanted = [...`${sample}\n${starterConfig(USUAL_SETUP)}`.matchAll(/agentCode: (\S+)\n\s*password: (\S+)/g)];
  expect(wanted).toHaveLength(3);
  const known = readAccounts(SANDBOX_ACCOUNTS);
  for (const [, agentCode, password] of wanted) expect(known).toContainEqual({ agentCode, password });
});

const DEFAULTS = {
  port: 8899,
  host: '127.0.0.1',
  accounts: [
    { agentCode: 'TEST88', password: 'TEST88' },
    { agentCode: 'TESTCA', password: 'TESTCA' },
  ],
  batchDelayMs: 1000,
  maxRows: 10_000,
  cardDuplicates: true,
  publicSuites: true,
  refundsMayExceed: false,
  refundsNeedSettlement: false,
  cutsLongValues: false,
  strict: true,
  allow: [],
  pageForAll: false,
  control: false,
  firstBatchId: 'time',
};

describe('readSandboxOptions', () => {
  it.each<[readonly string[], object]>([
    [[], {}],
    [['--port', '0', '--host', '::1'], { port: 0, host: '::1' }],
    [['--accounts', 'A1:one@UK'], { accounts: [{ agentCode: 'A1', password: 'one', server: 'UK' }] }],
    [['--now', '2026-06-15T09:00:00Z'], { now: '2026-06-15T09:00:00Z' }],
    [['--data', 'books', '--port-uk', '0'], { dataDir: 'books', portUk: 0 }],
    [['--tls'], { tls: { names: [] } }],
    [['--tls-names', 'a.test, b.test'], { tls: { names: ['a.test', 'b.test'] } }],
    [['--batch-delay', '5', '--max-rows', '7'], { batchDelayMs: 5, maxRows: 7 }],
    [['--no-card-duplicates', '--no-public-suites'], { cardDuplicates: false, publicSuites: false }],
    [['--refunds-may-exceed'], { refundsMayExceed: true }],
    [['--refunds-need-settlement'], { refundsNeedSettlement: true }],
    [['--cut-long-values'], { cutsLongValues: true }],
    [['--lenient'], { strict: false }],
    [['--allow', 'names-given, schedule-date'], { allow: ['names-given', 'schedule-date'] }],
    [['--cards-valid-at', '2017-06-15'], { cardsValidAt: new Date('2017-06-15T00:00:00Z') }],
    [['--control'], { control: true }],
    [['--host', '0.0.0.0', '--page-for-all'], { host: '0.0.0.0', pageForAll: true }],
    [['--history', '30d'], { history: { days: 30 } }],
    [['--history', '90d:7', '--history-size', '100000'], { history: { days: 90, seed: 7, size: 100_000 } }],
  ])('%j', async (words, changed) => {
    expect(await read(words)).toEqual({ ...DEFAULTS, ...changed });
  });

  const flags = '--port --port-uk --batch-delay --max-rows --now --accounts --allow --cards-valid-at'.split(' ');
  const histories = ['30', '0d', '3661d', '1d:4294967296', '1d --history-size 0'].map((text) => `--history ${text}`);
  const more = [...histories, '--page-for-all', '--page-for-all --host ::1'];
  const wrong = [...flags.map((flag) => `${flag} x`), ...more];
  it.each(wrong)('%s is refused', (words) => expect(read(words.split(' '))).rejects.toMatchObject({ code: 'USAGE' }));
});

it('SANDBOX_SWITCHES stand in docs/sandbox.md', async () => {
  const docs = await readFile(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
  for (const [flags] of SANDBOX_SWITCHES) expect(docs).toContain(`| \`${flags}\` |`);
});

/** Reads them through commander, from the command line. */
async function read(words: readonly string[]) {
  let wanted: ReturnType<typeof readSandboxOptions> | undefined;
  const command = {
    name: 'sandbox',
    about: 'x',
    options: SANDBOX_SWITCHES,
    examples: [],
    async run({ options }: { options: Parameters<typeof readSandboxOptions>[0] }) {
      wanted = readSandboxOptions(options);
      return 0;
    },
  };
  await makeProgram([command], { finish: () => {}, features: FEATURES }).parseAsync(['sandbox', ...words], {
    from: 'user',
  });
  return wanted;
}
