import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lookForAlarms } from '../../workers/upkeep/raise-alarms.ts';
import { refreshFailing } from '../../workers/note-failures.ts';
import type { Workers } from '../../workers/main.ts';
import { openPipelineWorld, type WorldOptions } from '../support/pipeline-world.ts';
import { type CliWorld, openCliWorld } from '../cli/support/cli-world.ts';
import { dropQueue, forceSql } from '../support/force-sql.ts';
import { achRow, cardRow, lines, upTo } from '../support/payment-rows.ts';
import { startReceiver } from '../support/receiver.ts';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { redisVerdict, startTestRedis } from '../support/redis.ts';
import { transfers } from '../../src/features/transfers/index.ts';

describe('failing for ever', () => {
  /** Every stage fails, one after the other, until it is fixed. */
  let world: CliWorld;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let workers: Workers | undefined;
  let rows = 0;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());
  afterEach(async () => {
    await workers?.stop();
    workers = undefined;
  });

  function useWorld(options: WorldOptions = {}): void {
    beforeAll(async () => {
      const alarms = [{ by: 'webhook', url: receiver.url, secret: 'x'.repeat(40), kinds: ['failing'] }];
      world = await openCliWorld({
        ...options,
        settings: { sweepMs: 150, rescanMs: 150, alarms, ...options.settings },
      });
    });
    afterAll(() => world.close());
  }

  async function dropOne(name: string): Promise<void> {
    await world.drop('ach-charge', name, lines([achRow((rows += 1))]));
  }

  /** Waits until `status --check` says so. Returns what it says. */
  async function status(words: string): Promise<string> {
    await expect.poll(async () => (await world.paydrop('status', '--check')).out, { timeout: 50_000 }).toContain(words);
    const said = await world.paydrop('status', '--check');
    expect(said.status).toBe(5);
    return said.out;
  }

  async function toldByAlarm(words: string): Promise<void> {
    await lookForAlarms(world.app);
    const { rows: raised } = await world.app.ledger.pool.query<{ text: string }>(
      `SELECT text FROM alarm WHERE kind = 'failing' AND cleared_at IS NULL`,
    );
    expect(raised.map(({ text }) => text).join('\n')).toContain(words);
  }

  /** Checks that a fixed failure is over everywhere: the status is fine, and no alarm is left. */
  async function recovers(): Promise<void> {
    await expect.poll(async () => (await world.paydrop('status', '--check')).status, { timeout: 50_000 }).toBe(0);
    await refreshFailing(world.app);
    await lookForAlarms(world.app);
    const { rowCount } = await world.app.ledger.pool.query('SELECT 1 FROM alarm WHERE cleared_at IS NULL');
    expect(rowCount).toBe(0);
  }

  describe('work that fails for ever', () => {
    useWorld();

    it('writing outputs: is told with its cause and the verb, and goes on when it is fixed', async () => {
      const { out } = world.settings.paths;
      workers = await world.start();
      await rm(out, { recursive: true, force: true });
      await writeFile(out, 'no folder');
      await dropOne('deliver.csv');
      const said = await status('Cannot write the output files of');
      expect(said).toMatch(/deliver\.csv[^]*failed \d+ times: [^]*"paydrop requeue \w{16}" retries at once/);
      expect((await world.paydrop('why', 'deliver.csv')).out).toContain('Cannot write the output files of');
      expect((await world.paydrop('doctor')).out).toContain('Cannot write the output files of');
      await toldByAlarm('Cannot write the output files of');
      await rm(out);
      expect((await world.paydrop('requeue', 'deliver.csv')).status).toBe(0);
      await recovers();
      expect(await world.states()).toMatchObject({ 'deliver.csv': 'completed' });
    });

    it('sending: is told while nobody is reached, and nothing is in doubt', async () => {
      world.sandbox.faults.plan({ kind: 'connection-dropped', times: 'always' });
      workers = await world.start();
      await dropOne('submit.csv');
      await status('Cannot send for main');
      expect((await world.paydrop('why', 'submit.csv')).out).toContain('Cannot send for main');
      await toldByAlarm('Cannot send for main');
      await world.sandbox.faults.clear();
      await expect.poll(() => world.states(), { timeout: 50_000 }).toMatchObject({ 'submit.csv': 'completed' });
      await recovers();
    });

    it('asking for results: is told while the service does not answer', async () => {
      const operation = 'getBatchProcessResultFile';
      world.sandbox.faults.plan({ kind: 'http-500', operation, times: 'always' });
      workers = await world.start();
      await dropOne('poll.csv');
      await status('Cannot fetch the result of main');
      expect((await world.paydrop('why', 'poll.csv')).out).toContain('Cannot fetch the result of main');
      await toldByAlarm('Cannot fetch the result of main');
      await world.sandbox.faults.clear();
      await recovers();
    });

    it('taking in: is told by file', async () => {
      await world.app.ledger.pool.query('ALTER TABLE row_fingerprint RENAME TO row_fingerprint_away');
      workers = await world.start();
      await dropOne('intake.csv');
      const said = await status('Cannot check file');
      expect(said).toMatch(/\(intake\.csv\)[^]*"paydrop cancel \w{16} --reason …" gives up/);
      expect((await world.paydrop('why', 'intake.csv')).out).toContain('Cannot check file');
      await toldByAlarm('Cannot check file');
      await world.app.ledger.pool.query('ALTER TABLE row_fingerprint_away RENAME TO row_fingerprint');
      await recovers();
    });

    it('watching: is told while a folder is away', async () => {
      const [folder] = world.settings.folders;
      await rename(folder!.path, `${folder!.path}-away`);
      await expect(world.start()).rejects.toThrow();
      await rename(`${folder!.path}-away`, folder!.path);
      workers = await world.start();
      await rename(folder!.path, `${folder!.path}-away`);
      await status(`Cannot take drops from folder ${folder!.id}`);
      await toldByAlarm(`Cannot take drops from folder ${folder!.id}`);
      await rename(`${folder!.path}-away`, folder!.path);
      await recovers();
    });

    it('telling of alarms: is told by status', async () => {
      receiver.answer((response) => response.writeHead(500).end());
      await world.app.ledger.pool.query(
        `INSERT INTO alarm (kind, subject, text, figures, raised_at) VALUES ('failing', 'x', 'x', '{}', now())`,
      );
      await world.app.ledger.pool.query(
        `INSERT INTO alarm_delivery (alarm_no, event, target, next_try_at)
       SELECT max(alarm_no), 'raised', (SELECT max(target) FROM alarm_delivery), now() - interval '1 hour' FROM alarm`,
      );
      workers = await world.start();
      // Retries become ever rarer, so the test makes the failure older instead.
      const { pool } = world.app.ledger;
      const age = `UPDATE failing_work SET since = since - interval '1 minute' WHERE work = 'alarm'`;
      await expect.poll(async () => (await pool.query(age)).rowCount).toBe(1);
      await status('Cannot deliver alarms to');
      receiver.answer((response) => response.end('{}'));
      await world.app.ledger.pool.query(`UPDATE alarm_delivery SET next_try_at = now() - interval '1 hour'`);
      await recovers();
    });
  });

  describe('work beside that of files, which fails for ever', () => {
    useWorld({ settings: { schedules: { night: { does: 'day-close', account: 'main', at: '00:00' } } } });

    /** Makes the failure older, because retries are rare, and returns what the status says. */
    async function statusInTime(work: string, words: string): Promise<string> {
      const age = `UPDATE failing_work SET since = since - interval '1 minute' WHERE work = $1`;
      await expect
        .poll(async () => (await world.app.ledger.pool.query(age, [work])).rowCount, { timeout: 50_000 })
        .toBe(1);
      return status(words);
    }

    it('making the run of a schedule: is told, and over when a person has it made', async () => {
      const days = [0, 1].map((ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10));
      const inTheWay = days.map((day) => join(world.settings.paths.out, `day-close__main__${day}.json`));
      for (const place of inTheWay) await mkdir(place, { recursive: true });
      expect((await world.paydrop('schedule', 'run', 'night')).status).not.toBe(0);
      workers = await world.start();
      expect(await statusInTime('schedule', 'Cannot make the run of schedule night')).toContain(
        '"paydrop schedule list"',
      );
      await toldByAlarm('Cannot make the run of schedule night');
      for (const place of inTheWay) await rm(place, { recursive: true });
      expect((await world.paydrop('schedule', 'run', 'night')).status).toBe(0);
      await recovers();
    });

    it('destroying keys: is told', async () => {
      await dropOne('destroyed.csv');
      await world.finish();
      const [sealed] = (await readdir(world.settings.paths.archive, { recursive: true })).filter((name) =>
        name.endsWith('.sealed'),
      );
      const { dir, base } = parse(join(world.settings.paths.archive, sealed!));
      // A draft of it that cannot be removed.
      const inTheWay = join(dir, `.${base}.${'0'.repeat(12)}.part`);
      await mkdir(inTheWay);
      await forceSql(world.app, 'WITH gone AS (DELETE FROM file_secret) UPDATE file SET shredded_at = now()');
      workers = await world.start();
      await statusInTime('shred', `Cannot destroy keys whose retention has ended at ${world.app.ledger.instance.host}`);
      await toldByAlarm('Cannot destroy keys whose retention has ended at');
      await rm(inTheWay, { recursive: true });
      await recovers();
    });

    it('comparing queue and ledger: is told, and over when another process on the host can', async () => {
      const { work } = world.settings.folders[0]!;
      workers = await world.start();
      await rename(work, `${work}-away`);
      await writeFile(work, 'no folder');
      await status(`Cannot compare queue and ledger at ${world.app.ledger.instance.host}`);
      await toldByAlarm('Cannot compare queue and ledger at');
      await workers.stop();
      await rm(work);
      await rename(`${work}-away`, work);
      workers = await world.start();
      await recovers();
    });
  });

  describe('servers that nobody reaches', () => {
    const bank = { host: '127.0.0.1', port: 9, user: 'paydrop', password: 'x', hostKey: `SHA256:${'A'.repeat(43)}` };
    useWorld({
      features: [transfers],
      settings: { remotes: { bank }, push: [{ remote: 'bank', path: '/out' }] },
      folder: { pull: { remote: 'bank', path: '/in', everyMs: 200 } },
    });

    it('are told, for what is fetched and for what is uploaded', async () => {
      workers = await world.start();
      await dropOne('upload.csv');
      for (const words of ['Cannot fetch files from the SFTP server for folder', 'Cannot upload output files to']) {
        expect(await status(words)).toMatch(/"paydrop doctor"; (?:the files|the output files) stay/);
        await toldByAlarm(words);
      }
      expect(await world.states()).toMatchObject({ 'upload.csv': 'completed' });
    });
  });

  describe('what nobody takes up', () => {
    useWorld();

    it('tells of drops in quarantine', async () => {
      await symlink('/dev/null', join(world.settings.folders[0]!.path, 'link.csv'));
      await world.finish();
      expect(await status('A drop is in quarantine')).toContain('"paydrop doctor" shows why for each');
      await toldByAlarm('A drop is in quarantine');
      await rm(world.settings.paths.quarantine, { recursive: true });
      await recovers();
    });

    it('tells of accounts that were taken out of the configuration', async () => {
      await dropOne('gone.csv');
      await world.finish();
      await forceSql(world.app, `UPDATE file SET account = 'gone', state = 'accepted' WHERE name = 'gone.csv'`);
      const said = await status('Account gone is not in the configuration');
      expect(said).toContain('1 open file and 0 open batches');
      expect((await world.paydrop('doctor')).out).toContain('Account gone is not in the configuration');
      await toldByAlarm('Account gone');
    });
  });
});

describe.each(['postgres', 'redis'] as const)('with the queue on %s', (backend) => {
  const verdict = redisVerdict();
  if (backend === 'redis' && !verdict.isInstalled) {
    it(verdict.sentence, () => expect(verdict.isFine).toBe(true));
    return;
  }

  it('a queue that is wiped in the middle costs time and no payment', async () => {
    const redis = backend === 'redis' ? await startTestRedis() : undefined;
    const world = await openPipelineWorld({ settings: { batch: { maxRows: 5 } }, redisUrl: redis?.url ?? '' });
    try {
      const { drop, app, sandbox, states, start } = world;
      await drop('card', 'many.csv', lines(upTo(40).map((n) => cardRow(n))));
      const workers = await start();
      await expect.poll(() => sandbox.books().length, { interval: 5 }).toBeGreaterThan(5);
      if (redis) await redis.restart();
      else await dropQueue(app.ledger.pool);
      await expect.poll(() => states(), { interval: 20 }).toEqual({ 'many.csv': 'completed' });
      await workers.stop();
      expect(sandbox.books()).toHaveLength(40);
      expect(await compareBooks(app, sandbox.books())).toEqual([]);
    } finally {
      await world.close();
      await redis?.stop();
    }
  });
});
