import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  canReach,
  chooseServerUser,
  type ClusterPlace,
  dataFolderOf,
  logFileOf,
  readUsers,
  runProgram,
  startFailed,
} from '../../../src/ledger/postgres/cluster.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { upgradeDatabase } from '../../../src/ledger/backup/upgrade-database.ts';
import { refuseBetween, refuseOtherMajor, syncMethod } from '../../../src/ledger/postgres/find-cluster.ts';
import { isAlive } from '../../../src/ledger/postgres/ask-server.ts';
import { settingsText } from '../../../src/ledger/postgres/start-server.ts';
import { isRoot, sayWhatNeedsRoot, useWorld } from './support/world.ts';

const NOBODY = { name: 'nobody', uid: 65534, gid: 65534 };

const world = useWorld('all');

it('dataFolderOf and logFileOf stand beside each other in the home folder', () => {
  const place = { dataDir: '/d', home: '/d/postgres', user: undefined };
  expect(dataFolderOf(place)).toBe('/d/postgres/data');
  expect(logFileOf(place)).toBe('/d/postgres/server.log');
});

it.each([
  ['linux', '6.1.0-13-amd64', 'syncfs'],
  ['linux', '5.8.0', 'syncfs'],
  ['linux', '5.4.0-150-generic', 'fsync'],
  ['linux', '4.18.0-553.el8_10.x86_64', 'fsync'],
  ['linux', 'unknown', 'fsync'],
  ['darwin', '23.6.0', 'fsync'],
])('syncMethod lets only a kernel that tells errors write all at once: %s %s by %s', (platform, kernel, method) => {
  expect(syncMethod(platform, kernel)).toBe(`--sync-method=${method}`);
});

const POSTGRES = 'postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash';
const NOBODY_LINE = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin';

describe('readUsers', () => {
  it('reads names and numbers, and leaves out root and broken lines', () => {
    expect(readUsers(`root:x:0:0::/root:/bin/sh\n${POSTGRES}\n\nbroken\nold:*:-2:-2::/:/bin/false\n`)).toEqual([
      { name: 'postgres', uid: 101, gid: 104 },
    ]);
  });
});

describe.runIf(!isRoot)('chooseServerUser as an ordinary user', () => {
  it('runs the server as ourselves', async () => {
    expect(await chooseServerUser({ uid: 4711, gid: 4712 })).toBeUndefined();
  });
});

describe.runIf(isRoot)(sayWhatNeedsRoot('chooseServerUser as root'), () => {
  async function chooseFrom(passwd: string, owner?: { uid: number; gid: number }) {
    const file = join(world.root, 'passwd');
    await writeFile(file, passwd);
    return chooseServerUser(owner, file);
  }

  it.each([
    ['postgres before nobody', `${NOBODY_LINE}\n${POSTGRES}`, undefined, { name: 'postgres', uid: 101, gid: 104 }],
    ['nobody where there is no postgres', NOBODY_LINE, undefined, NOBODY],
    ['the owner of the cluster', POSTGRES, { uid: 4711, gid: 4712 }, { name: 'uid 4711', uid: 4711, gid: 4712 }],
    ['not root as owner', POSTGRES, { uid: 0, gid: 0 }, { name: 'postgres', uid: 101, gid: 104 }],
  ])('takes %s', async (_case, passwd, owner, expected) => {
    expect(await chooseFrom(passwd, owner)).toEqual(expected);
  });

  it('advises an ordinary user or DATABASE_URL when there is nobody', async () => {
    await expect(chooseFrom('root:x:0:0::/:/bin/sh')).rejects.toThrow(/refuses to run as root.*DATABASE_URL/);
    await expect(chooseServerUser(undefined, join(world.root, 'missing'))).rejects.toThrow('DATABASE_URL');
  });
});

it.each([
  ['ourselves', process.pid, true],
  ['the first process, under any owner', 1, true],
  ['a process that has ended', spawnSync(process.execPath, ['--version']).pid, false],
  ['our group', 0, false],
  ['a group', -1, false],
  ['no number', Number.NaN, false],
])('isAlive knows %s', (_case, pid, expected) => {
  expect(isAlive(pid)).toBe(expected);
});

function runShell(script: string, options: { input?: string; user?: typeof NOBODY } = {}) {
  const { user, ...rest } = options;
  return runProgram('/bin/sh', ['-c', script], { user, folder: world.root, ...rest });
}

describe('runProgram', () => {
  it('gives the exit status and both outputs', async () => {
    expect(await runShell('echo out; echo err >&2; exit 3')).toEqual({ status: 3, output: 'out\nerr\n' });
  });

  it('hands over the input, also to a program that does not read it', async () => {
    expect(await runShell('cat', { input: 'text' })).toEqual({ status: 0, output: 'text' });
    expect((await runShell('exit 0', { input: 'x'.repeat(1_000_000) })).status).toBe(0);
  });

  it('runs inside the folder with an environment of its own', async () => {
    const { output } = await runShell('pwd; env');
    const names = output.split('\n').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
    expect(output.startsWith(`${world.root}\n`)).toBe(true);
    const own = names.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name));
    const memory = ['MALLOC_MMAP_THRESHOLD_', 'MALLOC_TOP_PAD_', 'MALLOC_TRIM_THRESHOLD_'];
    expect(own.sort()).toEqual(['LC_ALL', ...memory, 'PATH', 'TZ']);
  });

  it('keeps the end of a long output', async () => {
    const { output } = await runShell('i=0; while [ $i -lt 4000 ]; do echo line-$i; i=$((i+1)); done');
    expect(output.length).toBe(16_000);
    expect(output.endsWith('line-3999\n')).toBe(true);
  });

  it('says why a program could not be run or was killed', async () => {
    expect(await runProgram(join(world.root, 'missing'), [], { user: undefined, folder: '/' })).toEqual({
      status: null,
      output: expect.stringContaining('ENOENT'),
    });
    expect(await runShell('kill -9 $$')).toEqual({ status: null, output: expect.stringContaining('SIGKILL') });
  });
});

describe.runIf(isRoot)(sayWhatNeedsRoot('programs of another user'), () => {
  it('runs as that user with no other group', async () => {
    expect((await runShell('id -u; id -G', { user: NOBODY })).output).toBe('65534\n65534\n');
  });

  it('canReach tells open folders from closed ones, above as well as below', async () => {
    const closed = join(world.root, 'closed');
    await mkdir(join(closed, 'open'), { recursive: true });
    expect(await canReach(NOBODY, join(closed, 'open'))).toBe(true);
    await chmod(closed, 0o700);
    expect(await canReach(NOBODY, closed)).toBe(false);
    expect(await canReach(NOBODY, join(closed, 'open'))).toBe(false);
    expect(await canReach(NOBODY, join(world.root, 'missing'))).toBe(false);
  });
});

function readSettings(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+) = '(.*)'$/gm)].map(([, name, value]) => [name, value]));
}

describe('settingsText', () => {
  it.each([
    [true, 'on'],
    [false, 'off'],
  ])('with fsync %s has durability %s', (fsync, expected) => {
    const settings = readSettings(settingsText({ socketFolder: '/run/x', fsync }));
    expect(settings).toMatchObject({ fsync: expected, synchronous_commit: expected, full_page_writes: expected });
  });

  it('listens to its socket only and logs no values', () => {
    expect(readSettings(settingsText({ socketFolder: '/run/x', fsync: true }))).toMatchObject({
      listen_addresses: '',
      unix_socket_directories: '"/run/x"',
      unix_socket_permissions: '0700',
      timezone: 'UTC',
      client_encoding: 'utf8',
      log_min_messages: 'log',
      log_min_error_statement: 'panic',
      log_statement: 'none',
      log_parameter_max_length: '0',
      log_parameter_max_length_on_error: '0',
      log_error_verbosity: 'terse',
    });
  });

  it('quotes a path with every sign that means something', () => {
    const text = settingsText({ socketFolder: `/a, b/c"d/e'f/g\\h`, fsync: true });
    expect(text).toContain(`unix_socket_directories = '"/a, b/c""d/e''f/g\\\\h"'\n`);
  });
});

const TABLE_ADVICE = 'Read its log in the data folder, or set DATABASE_URL.';

describe('startFailed', () => {
  it.each([
    ['one sentence', 'it did not work.', `it did not work. ${TABLE_ADVICE}`],
    ['the last lines of many', 'a\nb\n\nc\nd\n  e\n', `b / c / d / e. ${TABLE_ADVICE}`],
    ['nothing', '', `it gave no reason. ${TABLE_ADVICE}`],
    ['something thrown', new Error('broken pipe'), `broken pipe. ${TABLE_ADVICE}`],
    [
      'a full disk in a log',
      'FATAL: could not write: No space left on device',
      'the disk is full (FATAL: could not write: No space left on device). Free some space and start again.',
    ],
    [
      'a full disk that was thrown',
      Object.assign(new Error('write failed'), { code: 'ENOSPC' }),
      'the disk is full (write failed). Free some space and start again.',
    ],
  ])('tells of %s', (_case, reason, rest) => {
    expect(startFailed('data', reason)).toMatchObject({
      code: 'LEDGER_START_FAILED',
      message: `Cannot start the embedded PostgreSQL in "data": ${rest}`,
    });
  });

  it('keeps what was thrown as its cause, and takes other advice', () => {
    const cause = new Error('why');
    const error = startFailed('data', cause, 'Do this.');
    expect(error.cause).toBe(cause);
    expect(error.message).toBe('Cannot start the embedded PostgreSQL in "data": why. Do this.');
  });
});

describe('a database made between the renames of an upgrade', () => {
  /** Makes the folders of a cluster of PostgreSQL 17 whose upgrade to 18 was killed when `done` of it was done. */
  async function makeUpgrade(done: 'ready' | 'barred' | 'moved-aside', version?: string): Promise<ClusterPlace> {
    const dataDir = await mkdtemp(join(world.root, 'upgrade-'));
    const home = join(dataDir, 'postgres');
    const keptIn = join(home, 'postgresql-17');
    const lay = async (file: string, text: string) => {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    };
    await lay(join(home, 'upgrade', 'data', 'PG_VERSION'), '18\n');
    await lay(join(home, 'upgrade', 'upgraded.json'), JSON.stringify({ keptIn }));
    if (done === 'barred') await lay(join(home, 'data', 'PG_VERSION.barred'), '17\n');
    if (done === 'moved-aside') await lay(join(keptIn, 'data', 'PG_VERSION.barred'), '17\n');
    if (version !== undefined) await lay(join(home, 'data', 'PG_VERSION'), version);
    return { dataDir, home, user: undefined };
  }

  it.each(['17', '18'])('is refused, of PostgreSQL %s, and the ledger that waits is left as it is', async (made) => {
    const place = await makeUpgrade('moved-aside', made);
    const refused = {
      code: 'LEDGER_OTHER_POSTGRES',
      message: expect.stringMatching(/made an empty database .* away/),
    };
    await expect(refuseOtherMajor(place, '18.4')).rejects.toMatchObject(refused);
    const { dataDir } = place;
    const options = { dataDir, clock: systemClock, log: silentLog(), actor: 'operator:ada', say: () => {} };
    const places = { findBinaries: async () => ({ folder: '', version: '18.4' }), sharedFolder: join(dataDir, 'far') };
    await expect(upgradeDatabase(options, places)).rejects.toMatchObject(refused);
    expect(await readFile(join(place.home, 'upgrade', 'data', 'PG_VERSION'), 'utf8')).toBe('18\n');
  });

  it.each([['ready', '17'] as const, ['barred'] as const, ['moved-aside'] as const])(
    'is not there at %s',
    async (done, version?: string) => {
      await expect(refuseBetween(await makeUpgrade(done, version))).resolves.toBeUndefined();
    },
  );
});
