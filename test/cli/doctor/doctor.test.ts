import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeOwnFolders, openCliWorld, openPatientWorld } from '../support/cli-world.ts';
import { bad, type Check, findingOf, ok } from '../../../src/cli/doctor/check.ts';
import { CHECKS, examine } from '../../../src/cli/doctor/doctor.ts';
import { closedUrl } from '../../workers/support/step-world.ts';
import type { Settings } from '../../../src/config/config.ts';
import { freshFolder } from '../../files/support/fresh-folder.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { clock, judgeRedis, judgeServer, postgres, queue, service } from '../../../src/cli/doctor/servers.ts';
import { inspectServer, type ServerState } from '../../../src/ledger/engine/open-ledger.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { warnOfRedis } from '../../../src/cli/process/start.ts';
import { openQueue } from '../../../src/queue/open-queue.ts';
import { logIntoLines } from '../../queue/support/queue-world.ts';
import { FUNCTIONS_SCHEMA } from '../../../src/ledger/engine/schema.ts';
import { openTestPool, startTestPostgres } from '../../support/postgres.ts';
import { redisIsInstalled, startTestRedis } from '../../support/redis.ts';

const NO_ACTION = expect.stringContaining('No action is needed: the next start');
const ANEW = expect.stringContaining('the next start makes them anew');

describe('doctor', () => {
  const world = openedForTests(openCliWorld);
  beforeAll(async () => {
    await makeOwnFolders(world.settings);
  });

  describe('doctor', () => {
    it('looks at everything and changes nothing', async () => {
      const before = await readdir(world.root, { recursive: true });
      const { out, err } = await world.paydrop('doctor');
      expect(err).toBe('');
      expect(out).toMatch(/^ok {4}Folders +\S/);
      expect(out).toMatch(/^ok {4}Service +account main: /m);
      expect(await readdir(world.root, { recursive: true })).toEqual(before);
    });

    it('names what is bad with its remedy: 5', async () => {
      const { path } = world.settings.folders[0]!;
      await rename(path, `${path}.away`);
      const { status, out } = await world.paydrop('doctor');
      await rename(`${path}.away`, path);
      expect(status).toBe(5);
      expect(out).toMatch(/^bad +Folders +the drop folder ".*" is missing\n +fix: mkdir -p /m);
      expect(out).toMatch(/Fix the lines marked bad\.\n$/);
    });

    it('is one JSON value on request', async () => {
      const { out } = await world.paydrop('doctor', '--json');
      const { checks, worst } = JSON.parse(out);
      expect(['ok', 'warn', 'bad']).toContain(worst);
      expect(checks.map((check: { name: string }) => check.name)).toContain('Send journal');
    });

    it('is well when nothing is bad: 0', async () => {
      const { status, out } = await world.paydrop('doctor');
      // The test database does not wait for the disk, which is rightly bad.
      const bad = out.split('\n').filter((line) => line.startsWith('bad'));
      expect(bad.every((line) => line.includes('is off: a power cut'))).toBe(true);
      expect(status).toBe(bad.length > 0 ? 5 : 0);
    });
  });

  const alone: Check = { name: 'Alone', needs: 'nothing', look: async () => [ok('seen')] };
  const within: Check = { name: 'Within', needs: 'ledger', look: async () => [ok('seen')] };
  const failing: Check = {
    name: 'Failing',
    needs: 'nothing',
    look: () => Promise.reject(new Error('4111111111111111')),
  };

  describe('examine', () => {
    const examineWith = (checks: Check[], change: Partial<Settings> = {}) =>
      examine({ settings: { ...world.settings, ...change }, env: {}, clock: world.app.clock }, checks);

    it('makes every check, whatever becomes of the others', async () => {
      const examined = await examineWith([failing, alone, within]);
      expect(examined.map(({ name, findings }) => [name, findings[0]!.level])).toEqual([
        ['Failing', 'bad'],
        ['Alone', 'ok'],
        ['Within', 'ok'],
      ]);
      expect(JSON.stringify(examined)).not.toContain('4111111111111111');
    });

    it('tells of a ledger that does not answer, and leaves out what needs it', async () => {
      const databaseUrl = (await closedUrl()).replace('http', 'postgres');
      const examined = await examineWith([alone, within], { databaseUrl });
      expect(examined).toMatchObject([{ name: 'Ledger', findings: [{ level: 'bad' }] }, { name: 'Alone' }]);
    });

    it('calls no check failed in a database without a ledger, and makes none there', async () => {
      const empty = await startTestPostgres({ schema: 'empty' });
      onTestFinished(() => empty.stop());
      const text = JSON.stringify(await examineWith([...CHECKS], { databaseUrl: empty.url }));
      expect(text).toContain('the database has no ledger yet');
      expect(text).not.toContain('the check itself failed');
    });

    it.each([
      [
        'the functions of a version that has not started yet',
        `DROP SCHEMA ${FUNCTIONS_SCHEMA} CASCADE`,
        { level: 'warn', found: expect.stringContaining('not in the database yet'), remedy: NO_ACTION },
      ],
      [
        'functions without one of them',
        `DROP FUNCTION ${FUNCTIONS_SCHEMA}.is_of_this_run()`,
        { level: 'bad', found: expect.stringContaining('were changed'), remedy: ANEW },
      ],
      [
        'functions with another text',
        `CREATE OR REPLACE FUNCTION ${FUNCTIONS_SCHEMA}.name_bucket(p_name text) RETURNS integer LANGUAGE sql AS 'SELECT 1'`,
        { level: 'bad', found: expect.stringContaining('were changed'), remedy: ANEW },
      ],
    ])('reports %s as such, and not as a failed check', async (_what, sql, finding) => {
      const other = await startTestPostgres({ sessions: 'ended' });
      onTestFinished(() => other.stop());
      const by = openTestPool(other.connection);
      await by.query(sql);
      await by.end();
      const examined = await examineWith([...CHECKS], { databaseUrl: other.url });
      expect(examined.find(({ name }) => name === 'PostgreSQL')!.findings).toContainEqual(finding);
      expect(JSON.stringify(examined)).not.toContain('the check itself failed');
    });

    it('reports functions of another role, and uses none of them', async () => {
      const other = await startTestPostgres({ sessions: 'ended' });
      onTestFinished(() => other.stop());
      const by = openTestPool(other.connection);
      await by.query(`ALTER FUNCTION ${FUNCTIONS_SCHEMA}.name_bucket(text) OWNER TO pg_monitor`);
      await by.end();
      expect(await examineWith([...CHECKS], { databaseUrl: other.url })).toContainEqual({
        name: 'Ledger',
        findings: [{ level: 'bad', found: expect.stringContaining('"pg_monitor"'), remedy: expect.any(String) }],
      });
    });

    it('makes no ledger where there is none', async () => {
      const data = await freshFolder();
      await mkdir(join(data, 'work'));
      const paths = { ...world.settings.paths, data };
      const examined = await examineWith([within], { databaseUrl: undefined, paths });
      expect(examined).toMatchObject([{ name: 'Ledger', findings: [{ level: 'warn', found: 'there is none yet' }] }]);
      expect(await readdir(data)).toEqual(['work']);
    });
  });

  it('CHECKS names each once and forgets none', async () => {
    const folder = new URL('../../../src/cli/doctor/', import.meta.url);
    const texts = await Promise.all((await readdir(folder)).map((name) => readFile(new URL(name, folder), 'utf8')));
    expect(CHECKS).toHaveLength(texts.join('\n').match(/^export const \w+: Check = /gm)!.length);
    expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length);
  });

  describe('findingOf', () => {
    it('takes apart what cannot be done and what to do next', () => {
      const error = new PipelineError('QUEUE_UNREACHABLE', 'ask Redis', 'no answer within 5 ms');
      expect(findingOf(error, bad)).toEqual({
        level: 'bad',
        found: 'cannot ask Redis: no answer within 5 ms',
        remedy: 'Check Redis or PostgreSQL; nothing is lost, the ledger rebuilds the queue.',
      });
    });

    it('says of any other error its code and nothing else', () => {
      const error = Object.assign(new Error('row 4111111111111111'), { code: 'EIO' });
      expect(findingOf(error, bad)).toMatchObject({ level: 'bad', found: 'the check itself failed (EIO)' });
      expect(findingOf('odd', bad).found).toBe('the check itself failed (unforeseen error)');
    });
  });
});

describe('servers', () => {
  const world = openedForTests(openPatientWorld);

  const RIGHT: Omit<ServerState, 'now'> = {
    versionNumber: 180_004,
    version: '18.4',
    fsync: 'on',
    fullPageWrites: 'on',
    synchronousCommit: 'on',
    isStandby: false,
  };

  describe('postgres', () => {
    it('says which version it is, and what of its settings is unsafe', async () => {
      // The test server does not wait for the disk.
      const { fsync } = await inspectServer(world.app.ledger);
      const findings = await world.look(postgres);
      expect(findings.some(({ found }) => found.startsWith('fsync is off'))).toBe(fsync === 'off');
    });

    it('finds a ledger that an older version made', async () => {
      await world.app.ledger.pool.query('DELETE FROM migration');
      expect(await world.look(postgres)).toContainEqual({
        level: 'warn',
        found: 'the database has no ledger yet',
        remedy: expect.stringContaining('next start'),
      });
    });
  });

  describe('judgeServer', () => {
    it.each([
      ['as it should be', {}, []],
      ['an old version', { versionNumber: 130_022, version: '13.22' }, ['warn']],
      ['fsync off', { fsync: 'off' }, ['bad']],
      ['full_page_writes off', { fullPageWrites: 'off' }, ['bad']],
      ['synchronous_commit off', { synchronousCommit: 'off' }, ['bad']],
      ['a standby', { isStandby: true }, ['bad']],
    ])('%s', (_what, change, levels) => {
      expect(judgeServer({ ...RIGHT, now: new Date(0), ...change }).map(({ level }) => level)).toEqual(levels);
    });
  });

  describe('queue', () => {
    it('lives beside the ledger', async () => {
      expect(await world.look(queue)).toEqual([{ level: 'ok', found: 'it is in the database of the ledger' }]);
    });

    it('finds a Redis that does not answer', async () => {
      const redisUrl = (await closedUrl()).replace('http', 'redis');
      const findings = await world.look(queue, { settings: { ...world.settings, redisUrl } });
      expect(findings).toMatchObject([{ level: 'bad', remedy: expect.stringContaining('Check Redis') }]);
    });
  });

  describe('judgeRedis', () => {
    it.each([
      ['noeviction', true, ['ok']],
      ['noeviction', false, ['warn']],
      ['allkeys-lru', true, ['bad']],
      ['volatile-ttl', false, ['bad', 'warn']],
    ])('%s, append only %s', (policy, isAppendOnly, levels) => {
      expect(judgeRedis({ version: '8.0', policy, isAppendOnly }).map(({ level }) => level)).toEqual(levels);
    });

    it('passes on why Redis takes no writes', () => {
      const refusal = "OOM command not allowed when used memory > 'maxmemory'.";
      expect(judgeRedis({ version: '8.0', policy: 'noeviction', isAppendOnly: true, refusal })).toMatchObject([
        { level: 'bad', found: `Redis accepts no jobs: ${refusal}` },
      ]);
    });
  });

  describe('warnOfRedis', () => {
    it.runIf(redisIsInstalled())('logs at start what may lose jobs, and BullMQ prints nothing of its own', async () => {
      const redis = await startTestRedis({ maxmemoryPolicy: 'allkeys-lru' });
      onTestFinished(() => redis.stop());
      const printed = vi.spyOn(console, 'warn');
      const { log, lines } = logIntoLines();
      const opened = await openQueue({ kind: 'redis', url: redis.url }, log);
      await opened.hear('submit', async () => {}).close();
      await opened.close();
      await warnOfRedis({ redisUrl: redis.url }, log);
      expect(lines).toMatchObject([
        {
          msg: 'Redis discards keys when its memory is full (allkeys-lru)',
          fix: expect.stringContaining('noeviction'),
        },
        { msg: expect.stringContaining('Redis loses its jobs when it stops'), fix: expect.stringContaining('append') },
      ]);
      expect(printed).not.toHaveBeenCalled();
      printed.mockRestore();
    });

    it('says nothing of a queue in PostgreSQL, or of a Redis that does not answer', async () => {
      const { log, lines } = logIntoLines();
      await warnOfRedis({ redisUrl: undefined }, log);
      await warnOfRedis({ redisUrl: (await closedUrl()).replace('http', 'redis') }, log);
      expect(lines).toEqual([]);
    });
  });

  function withUrl(baseUrl: string) {
    const main = world.settings.accounts.get('main')!;
    return { ...world.settings, accounts: new Map([['main', { ...main, baseUrl }]]) };
  }

  describe('service', () => {
    it('can be reached, and is sent nothing', async () => {
      const { host } = new URL(world.sandbox.url);
      expect(await world.look(service)).toEqual([{ level: 'ok', found: `account main: ${host} can be reached` }]);
    });

    it('finds that it cannot be reached', async () => {
      const settings = withUrl(await closedUrl());
      expect(await world.look(service, { settings })).toMatchObject([
        {
          level: 'bad',
          found: expect.stringContaining('cannot be reached: the connection could not be made (ECONNREFUSED)'),
        },
      ]);
    });

    it('finds an address that may not be used, without saying it', async () => {
      const settings = withUrl('https://ada:hunter2@service.test');
      const findings = await world.look(service, { settings });
      expect(findings).toMatchObject([{ level: 'bad' }]);
      expect(JSON.stringify(findings)).not.toContain('hunter2');
    });
  });

  describe('clock', () => {
    it('is well when host, database and service agree', async () => {
      const findings = await world.look(clock);
      expect(findings).toHaveLength(1 + world.settings.accounts.size);
      expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
    });

    it('finds a service whose clock is another, now or at a call that was made', async () => {
      const [name] = [...world.settings.accounts.keys()];
      world.sandbox.clock.advance(120_000);
      const now = await world.look(clock);
      expect(now).toContainEqual({
        level: 'bad',
        found: expect.stringMatching(
          `^account ${name}: the clock of the service is (1[12]\\d seconds|2 minutes) ahead of that of the database$`,
        ),
        remedy: expect.stringContaining('NTP'),
      });
    });

    it.each([
      [5_000, 'warn', /^the clock of this host is [2-5] seconds ahead of that of the database$/],
      [-5_000, 'warn', /^the clock of this host is [2-5] seconds behind that of the database$/],
      [7_180_000, 'bad', /^the clock of this host is 2 hours ahead of that of the database$/],
      [-7_180_000, 'bad', /^the clock of this host is 2 hours behind that of the database$/],
    ])('finds a host that is %i ms off: %s', async (offMs, level, found) => {
      const host = handClock(new Date(world.app.clock.now().getTime() + offMs));
      const [finding] = await world.look(clock, { clock: host });
      expect(finding).toMatchObject({
        level,
        found: expect.stringMatching(found),
        remedy: expect.stringContaining("Compare both with a third clock. Set the wrong host's clock by NTP"),
      });
    });
  });
});
