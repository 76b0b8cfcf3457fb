import { tmpdir, userInfo } from 'node:os';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Client } from 'pg';
import { type Call, type CliCommand, print, settingsOf, withLedger } from '../../src/cli/command.ts';
import { ACTION_COMMANDS, commandOf, HOST_COMMANDS, VIEW_COMMANDS } from '../../schemas/steps.ts';
import { loadCommands, loadNamed } from '../../src/cli/commands.ts';
import { makeProgram } from '../../src/cli/run-command-line.ts';
import { takeDown } from './support/run-here.ts';
import { startTestPostgres } from '../support/postgres.ts';
import { openCliWorld } from './support/cli-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { startLines } from '../../src/cli/commands/sandbox.ts';
import { operatorName, readReason } from '../../src/cli/option-values.ts';
import { CARD } from '../support/payment-rows.ts';
import { compareJournalFirst } from '../../src/cli/compare-journal-first.ts';
import type { Settings } from '../../src/config/config.ts';
import { readBatchRow } from '../../src/ledger/file/read-file.ts';
import { keyOf, type LedgerWorld, openTestLedger, START } from '../support/ledger-world.ts';
import { FEATURES } from '../../src/features.ts';

const COMMANDS = await loadCommands(FEATURES);

/** Every command that runs, including subcommands. */
const RUNNING = COMMANDS.flatMap(leavesOf);

describe('COMMANDS', () => {
  it('gives each command by its name alone, wherever the folder stands, and all of them for anything else', async () => {
    for (const command of COMMANDS)
      for (const before of [['--dir', 'find'], ['--dir=x'], ['help']])
        expect(await loadNamed([...before, command.name, 'status'], FEATURES)).toEqual([command]);
    expect(await loadNamed(['find'], FEATURES)).toEqual([COMMANDS.find(({ name }) => name === 'find')]);
    for (const words of [[], ['--help'], ['help'], ['people'], ['toString'], ['--dir'], ['--dir', 'find']])
      expect(await loadNamed(words, FEATURES)).toEqual(COMMANDS);
  });

  it('has each name once', () => {
    for (const names of namesOf(COMMANDS)) expect(new Set(names).size, names.join(' ')).toBe(names.length);
  });

  it('can print JSON wherever data is printed', () => {
    const silent = ['demo', 'init', 'sandbox', 'completion'];
    const withJson = RUNNING.filter((command) => command.options?.some(([flags]) => flags === '--json'));
    expect(withJson.map((command) => command.name)).toEqual(
      RUNNING.map((command) => command.name).filter((name) => !silent.includes(name)),
    );
  });

  const examples = COMMANDS.flatMap(withOwnExamples);
  it.each(examples)('%s: the example "%s" is understood', async (names, line) => {
    const called = await parse(line);
    expect(called).toHaveLength(1);
    expect(names).toContain(called[0]);
  });

  const ids = { fileId: 'g7fhpaqs', batchNo: 2, account: 'main', schedule: 'nightly' };
  const parts = [
    ...namesIn(ACTION_COMMANDS).map((action) => ({ action, ...ids })),
    ...namesIn(VIEW_COMMANDS).map((see) => ({ see, ...ids })),
    ...namesIn(HOST_COMMANDS).map((run) => ({ run, ...ids })),
  ];
  it.each(parts.map(commandOf))('understands "%s", as a next step may say', async (line) => {
    expect(await parse(line.replace('paydrop ', ''))).toHaveLength(1);
  });

  it('has an example for every command', () => {
    expect([...COMMANDS, ...RUNNING].filter((command) => command.examples.length === 0)).toEqual([]);
  });
});

describe('the pages of the documentation', () => {
  const pages = ['docs', 'docs/incidents', 'docs/operations'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );

  it.each(['README.md', 'SECURITY.md', ...pages])('%s names no command or option that there is not', async (page) => {
    const lines = commandsOn(readFileSync(page, 'utf8'));
    const isCard = page.startsWith('docs/incidents');
    if (isCard) expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      const called = await parse(line).catch(({ message }: Error) => message);
      // Elsewhere a page may mention a command without what it takes.
      if (isCard || !/missing|not specified/.test(String(called))) expect(called, `${page}: ${line}`).toHaveLength(1);
    }
  });

  it('gives each incident the same parts, and links it from the operating page', () => {
    const operating = readFileSync('docs/operating.md', 'utf8');
    for (const page of pages.filter((path) => /incidents|operations/.test(path))) {
      expect(operating).toContain(`(${page.replace('docs/', '')})`);
      if (!page.includes('incidents')) continue;
      const text = readFileSync(page, 'utf8');
      for (const part of ['**How you notice.**', '**What is safe.**', '## What to do', '## What not to do'])
        expect(text, page).toContain(`\n${part}`);
    }
  });
});

/** Finds whole commands in code spans and at the beginning of lines in fences. A name alone or a synopsis is none. */
function commandsOn(page: string): string[] {
  const fences = [...page.matchAll(/^ *```(?:sh|console)\n([^]*?)^ *```$/gm)].map(([, text]) => text!);
  const spans = page.replace(/^ *```[^]*?^ *```$/gm, '').match(/`paydrop [^`]+`/g) ?? [];
  const found = [
    ...fences.flatMap((text) => [...text.matchAll(/^(?:[\w-]*\$ )?paydrop (.+)$/gm)].map(([, line]) => line!)),
    ...spans.map((span) => span.slice('`paydrop '.length, -1).replace(/\s+/g, ' ')),
  ];
  return found
    .map((line) => line.replace(/ (?:#|&$).*/, ''))
    .filter((line) => !/^--|[|…[]| OPERATION| --help|^COMMAND/.test(line));
}

/** Returns the names of the commands that run for a line. */
async function parse(line: string): Promise<string[]> {
  const called: string[] = [];
  const [plain = ''] = line.split(/ (?:\d?>|\|)/);
  const words = (plain.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/["']/g, ''));
  const stubs = (await loadNamed(words, FEATURES)).map((command) => stub(command, called));
  await takeDown(() =>
    makeProgram(stubs, { finish: () => {}, features: FEATURES }).parseAsync(words, { from: 'user' }),
  );
  return called;
}

function namesIn<Name extends string>(table: Readonly<Record<Name, string>>): Name[] {
  return Object.keys(table) as Name[];
}

/** Returns the command names of a table and of each table below it. */
function namesOf(commands: readonly CliCommand[]): string[][] {
  const inner = commands.flatMap((command) => ('commands' in command ? namesOf(command.commands) : []));
  return [commands.map((command) => command.name), ...inner];
}

function leavesOf(command: CliCommand): CliCommand[] {
  return 'commands' in command ? command.commands.flatMap(leavesOf) : [command];
}

/** Returns the examples of a command and its subcommands, each with the command names it may run. */
function withOwnExamples(command: CliCommand): [names: string[], line: string][] {
  const names = leavesOf(command).map((leaf) => leaf.name);
  const inner = 'commands' in command ? command.commands.flatMap(withOwnExamples) : [];
  return [...command.examples.map((line): [string[], string] => [names, line]), ...inner];
}

function stub(command: CliCommand, called: string[]): CliCommand {
  if ('commands' in command) return { ...command, commands: command.commands.map((inner) => stub(inner, called)) };
  return {
    ...command,
    run: async (call: Call) => {
      called.push(command.name);
      return call.arguments.length;
    },
  };
}

const world = openedForTests(async () => openCliWorld({ postgres: await startTestPostgres({ sessions: 'ended' }) }));

function call(options: Call['options'] = {}, dir = world.root): Call {
  return { arguments: [], options, dir, features: FEATURES };
}

/** Returns the process ids of the database sessions, without the one that asks. */
async function sessions(): Promise<Set<number>> {
  const client = new Client({ connectionString: world.env['DATABASE_URL'] });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await client.end();
  return new Set(rows.map(({ pid }) => pid));
}

/** Ignores the sessions from before, because the world's own app may end some meanwhile. */
async function expectNoneLeft(before: ReadonlySet<number>): Promise<void> {
  await expect
    .poll(async () => [...(await sessions())].filter((pid) => !before.has(pid)), { interval: 20 })
    .toEqual([]);
}

describe('print', () => {
  it('prints text, or JSON and nothing else', async () => {
    const text = () => 'two words';
    expect((await takeDown(() => print(call(), { n: 1 }, text))).out).toBe('two words\n');
    const { out } = await takeDown(() => print(call({ json: true }), { n: 1 }, text));
    expect(JSON.parse(out)).toEqual({ n: 1 });
  });
});

describe('settingsOf', () => {
  it('reads the configuration of the folder and the environment', () => {
    expect(settingsOf(call())).toMatchObject({ root: world.root, databaseUrl: world.env['DATABASE_URL'] });
  });
});

describe('withLedger', () => {
  it('answers what was asked and closes its connections', async () => {
    const before = await sessions();
    const asked = await withLedger(call(), async (ledger, settings) => {
      const { rows } = await ledger.pool.query<{ one: number }>('SELECT 1 AS one');
      return [rows[0]?.one, settings.root];
    });
    expect(asked).toEqual([1, world.root]);
    await expectNoneLeft(before);
  });

  it('closes them as well when the question fails', async () => {
    const before = await sessions();
    await expect(withLedger(call(), () => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
    await expectNoneLeft(before);
  });
});

describe('operatorName', () => {
  it('is the user of the operating system, whatever the environment claims', () => {
    vi.stubEnv('USER', 'somebody-else');
    vi.stubEnv('LOGNAME', 'somebody-else');
    expect(operatorName()).toBe(`operator:${userInfo().username}`);
    vi.unstubAllEnvs();
  });

  it('falls back to the number of a user without a name', () => {
    const nameless = () => {
      throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT');
    };
    expect(operatorName(nameless)).toBe(`operator:uid-${process.getuid?.()}`);
  });
});

describe('readReason', () => {
  const call = (reason?: string) => ({ arguments: [], options: { reason }, dir: '.', features: FEATURES });

  it.each([
    ['  the sender recalls it ', 'the sender recalls it'],
    ['sent twice on 2026-06-15', 'sent twice on 2026-06-15'],
    [`card ${CARD} is stolen`, 'card ************2220 is stolen'],
  ])('of %j is %j', (given, kept) => {
    expect(readReason(call(given), 'cancel it')).toBe(kept);
  });

  it.each(['', '   ', undefined])('wants one: %j', (given) => {
    expect(() => readReason(call(given), 'cancel it')).toThrow(
      'Cannot cancel it: --reason is empty. Say why, as in --reason "',
    );
  });
});

describe('compareJournalFirst', () => {
  let world: LedgerWorld;
  let folder: string;
  beforeAll(async () => {
    world = await openTestLedger();
    folder = await mkdtemp(join(tmpdir(), 'paydrop-compare-'));
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  it('does not report for a host that has never sent, which would be waited for', async () => {
    const fresh = await openTestLedger();
    await fresh.force('UPDATE admission SET is_open = false');
    const journal = join(folder, 'never-sent.jsonl');
    await writeFile(journal, '');
    const settings = { paths: { journal }, host: 'site' } as Settings;
    await expect(compareJournalFirst(fresh.ledger, settings)).rejects.toMatchObject({ code: 'LEDGER_NOT_OPEN' });
    const { rows } = await fresh.ledger.pool.query(`SELECT FROM sender WHERE name = 'site'`);
    await fresh.close();
    expect(rows).toEqual([]);
  });

  it('writes down what was forgotten before a person decides, and says so once', async () => {
    const batch = await world.batchIn('ready');
    const { fileId, batchNo } = keyOf(batch);
    const entry = { at: START, account: batch.account, fileId, batchNo, attempt: 1, sha256: batch.body_sha256 };
    const journal = join(folder, 'sends.jsonl');
    await writeFile(journal, JSON.stringify(entry));
    const settings = { paths: { journal } } as Settings;
    const first = await takeDown(() => compareJournalFirst(world.ledger, settings));
    expect(first.err).toBe(
      `Account ${batch.account} was stopped: the send journal knows 1 call that the ledger does not, the first at ${START}. See "paydrop account list".\n`,
    );
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('unknown');
    expect((await takeDown(() => compareJournalFirst(world.ledger, settings))).err).toBe('');
  });
});

it('startLines says where the sandbox is, what it loses, and how each language trusts its CA', () => {
  const accounts = [{ agentCode: 'A1', password: 'hidden' }];
  const url = 'https://127.0.0.1:1';
  expect(startLines({ url, urlUk: undefined }, { accounts, dataDir: 'books' }, undefined)).toEqual([
    `The sandbox listens on ${url} for the accounts A1. Ctrl-C ends it.`,
  ]);
  const lines = startLines({ url, urlUk: 'https://127.0.0.1:2' }, { accounts }, '/tmp/my ca.pem').join('\n');
  expect(lines).toContain('Its UK server listens on https://127.0.0.1:2.\nIts books are lost when it ends');
  for (const name of ['curl', 'PHP', 'Python', 'Ruby', 'Perl', 'Node', '.NET', 'Java']) {
    expect(lines).toMatch(new RegExp(`\\n  ${name} +\\S.*'/tmp/my ca.pem'`));
  }
  expect(lines).not.toContain('hidden');
});
