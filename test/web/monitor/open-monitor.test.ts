import { afterEach, describe, expect, it } from 'vitest';
import { startHealth } from '../../../src/kernel/health.ts';
import {
  type Monitor,
  openMonitor,
  openRegistry,
  readSamples,
  type Sample,
} from '../../../src/web/monitor/open-monitor.ts';
import { openPipelineWorld } from '../../support/pipeline-world.ts';
import { findFreePort } from '../../support/daemon.ts';
import { rename } from 'node:fs/promises';
import type { Pool } from 'pg';
import { findUnready } from '../../../src/web/monitor/find-unready.ts';
import { beforeStatement } from '../../workers/support/step-world.ts';
import { METRICS, type MetricName } from '../../../schemas/metrics.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const ANY = { host: '127.0.0.1', port: 0 };

const world = openedForTests(openPipelineWorld);

const monitors: Monitor[] = [];
afterEach(async () => {
  for (const monitor of monitors.splice(0)) await monitor.close();
});

async function open(app = world.app): Promise<Monitor> {
  const monitor = await openMonitor(app, ANY);
  monitors.push(monitor);
  return monitor;
}

describe('openMonitor', () => {
  it('is alive, and ready once the process has swept', async () => {
    const health = startHealth(world.app.clock);
    const { url } = await open({ ...world.app, health });
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    const early = await fetch(`${url}/health/ready`);
    expect(early.status).toBe(503);
    expect(await early.json()).toEqual({ ready: false, wrong: [{ part: 'process', why: 'it is starting' }] });
    health.noteSweep();
    const ready = await fetch(`${url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ ready: true, wrong: [] });
  });

  it('is alive and not ready when it stops', async () => {
    const health = startHealth(world.app.clock);
    health.noteSweep();
    health.noteStop();
    const { url } = await open({ ...world.app, health });
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
  });

  it('shows the figures as Prometheus wants them', async () => {
    const { url } = await open();
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(await response.text()).toContain('paydrop_ledger_up 1');
  });

  it('says nothing of what goes wrong in it', async () => {
    const broken = { ...world.app, settings: { ...world.settings, folders: undefined as never } };
    const { url } = await open(broken);
    const response = await fetch(`${url}/metrics`);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ error: 'see the log' });
  });

  it.each(['/', '/health', '/metrics/x'])('has nothing at %s', async (path) => {
    const { url } = await open();
    expect((await fetch(`${url}${path}`)).status).toBe(404);
  });

  it('changes nothing: other methods are refused', async () => {
    const { url } = await open();
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
  });

  it('says when its address is taken, and is closed to the last connection', async () => {
    const port = await findFreePort();
    const monitor = await openMonitor(world.app, { host: '127.0.0.1', port });
    await expect(openMonitor(world.app, { host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`Cannot listen on "127.0.0.1:${port}"`),
    });
    await fetch(`${monitor.url}/health/live`);
    await monitor.close();
    await expect(fetch(`${monitor.url}/health/live`)).rejects.toThrow();
  });
});

const never = () => new Promise<never>(() => {});

function running() {
  const health = startHealth(world.app.clock);
  health.noteSweep();
  return { ...world.app, health };
}

describe('findUnready', () => {
  it('finds nothing wrong with a process that has swept once', async () => {
    expect(await findUnready(running())).toEqual([]);
  });

  it('is not ready before the first sweep, nor when it stops', async () => {
    const health = startHealth(world.app.clock);
    expect(await findUnready({ ...world.app, health })).toEqual([{ part: 'process', why: 'it is starting' }]);
    const app = running();
    app.health.noteStop();
    expect(await findUnready(app)).toEqual([{ part: 'process', why: 'it is stopping' }]);
  });

  it('does not wait for a ledger that keeps silent', async () => {
    const silent = beforeStatement(running(), /transaction_read_only/, never);
    // The queue answers at once, so the limit can be short.
    const counts = await world.app.queue.counts('submit');
    const app = { ...silent, queue: { ...world.app.queue, counts: () => Promise.resolve(counts) } };
    expect(await findUnready(app, 50)).toEqual([
      { part: 'ledger', why: 'it does not answer within 50 ms, or refuses' },
    ]);
  });

  it('names a ledger that answers and takes no changes', async () => {
    const app = running();
    const client = await app.ledger.pool.connect();
    await client.query('SET default_transaction_read_only = on');
    const closed = { ...app, ledger: { ...app.ledger, pool: client as unknown as Pool } };
    expect(await findUnready(closed)).toEqual([{ part: 'ledger', why: 'its database is read-only, or a standby' }]);
    client.release(true);
  });

  it('says nothing of what a ledger or queue said that refuses', async () => {
    const refuse = async () => {
      throw new Error('password authentication failed for user "ada"');
    };
    const app = beforeStatement(running(), /transaction_read_only/, refuse);
    const wrong = await findUnready({ ...app, queue: { ...app.queue, counts: refuse } });
    expect(wrong.map(({ part }) => part)).toEqual(['ledger', 'queue']);
    expect(JSON.stringify(wrong)).not.toContain('ada');
  });

  it('names a journal that is gone', async () => {
    const { journal } = world.settings.paths;
    await rename(journal, `${journal}.away`);
    expect(await findUnready(running())).toEqual([{ part: 'journal', why: 'it is missing' }]);
    await rename(`${journal}.away`, journal);
    expect(await findUnready(running())).toEqual([]);
  });
});

describe('openRegistry', () => {
  it('writes every figure of the table with its help, beside those of the process', async () => {
    const page = openRegistry(world.app);
    const text = await page.render();
    expect(page.contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const [name, { help }] of Object.entries(METRICS)) expect(text).toContain(`# HELP ${name} ${help}\n`);
    expect(text).toContain('paydrop_batches{account="main",state="ready"} 0');
    expect(text).toMatch(/^process_cpu_seconds_total /m);
  });

  it('forgets what it cannot read any more', async () => {
    let isSilent = false;
    const app = beforeStatement(world.app, /FROM file/, async () => {
      if (isSilent) throw new Error('gone');
    });
    const page = openRegistry(app);
    expect(await page.render()).toMatch(/^paydrop_unknown_cents\{account="main"\} 0$/m);
    isSilent = true;
    const text = await page.render();
    expect(text).toMatch(/^paydrop_ledger_up 0$/m);
    expect(text).not.toMatch(/^paydrop_unknown_cents\{/m);
  });

  it('may be open several times in one process', async () => {
    const pages = [openRegistry(world.app), openRegistry(world.app)];
    for (const page of pages) expect(await page.render()).toContain('paydrop_queue_up 1');
  });
});

/** Returns the value of a metric by its labels. */
function valueOf(samples: readonly Sample[], name: MetricName, labels: Record<string, string> = {}) {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels?.[key] === value),
  );
  return found.length === 1 ? found[0]!.value : found.map(({ value }) => value);
}

const main = { account: 'main' };

/** The tests build on each other. */
describe('readSamples', () => {
  it('has every figure of an empty ledger, with zeroes for each account and state', async () => {
    world.app.health.noteWatch(world.settings.folders.map(({ id }) => id));
    const samples = await readSamples(world.app);
    expect(new Set(samples.map(({ name }) => name))).toEqual(new Set(Object.keys(METRICS)));
    expect(valueOf(samples, 'paydrop_ledger_up')).toBe(1);
    expect(valueOf(samples, 'paydrop_queue_up')).toBe(1);
    expect(valueOf(samples, 'paydrop_files', { ...main, state: 'held' })).toBe(0);
    expect(valueOf(samples, 'paydrop_batches', { ...main, state: 'unknown' })).toBe(0);
    expect(valueOf(samples, 'paydrop_unknown_cents', main)).toBe(0);
    expect(valueOf(samples, 'paydrop_account_stopped', main)).toBe(0);
    expect(valueOf(samples, 'paydrop_data_free_bytes')).toBeGreaterThan(0);
  });

  it('has no labels but those of the table', async () => {
    for (const { name, labels = {} } of await readSamples(world.app))
      expect(Object.keys(labels).sort(), name).toEqual([...METRICS[name].labels].sort());
  });

  it('counts a held file with its rows, money and age', async () => {
    await world.drop('card', 'twice.csv', lines([cardRow(3), cardRow(3)]));
    await world.finish();
    const clock = handClock(new Date(world.app.clock.now().getTime() + 3_600_000));
    const samples = await readSamples({ ...world.app, clock });
    expect(valueOf(samples, 'paydrop_files', { ...main, state: 'held' })).toBe(1);
    expect(valueOf(samples, 'paydrop_held_rows', main)).toBe(2);
    expect(valueOf(samples, 'paydrop_held_cents', main)).toBe(5_000);
    expect(valueOf(samples, 'paydrop_file_oldest_age_seconds', { ...main, state: 'held' })).toBeGreaterThanOrEqual(
      3_600,
    );
  });

  it('tells how much is in doubt, and which account is stopped', async () => {
    await world.app.ledger.pool.query(`INSERT INTO account_stop VALUES ('*', 'to see', now())`);
    const client = await world.app.ledger.pool.connect();
    await client.query('SET session_replication_role = replica');
    await client.query(`UPDATE batch SET state = 'unknown'`);
    await client.query('RESET session_replication_role');
    client.release();
    const samples = await readSamples(world.app);
    expect(valueOf(samples, 'paydrop_unknown_batches', main)).toBe(1);
    expect(valueOf(samples, 'paydrop_unknown_rows', main)).toBe(2);
    expect(valueOf(samples, 'paydrop_unknown_cents', main)).toBe(5_000);
    expect(valueOf(samples, 'paydrop_account_stopped', main)).toBe(1);
  });

  it('tells how long no folder was listed, the longest of an account and operation', async () => {
    const clock = handClock('2026-06-15T10:00:00.000Z');
    const health = startHealth(clock);
    health.noteWatch(world.settings.folders.map(({ id }) => id));
    clock.advance(60_000);
    health.noteListing('drop/card');
    clock.advance(5_000);
    const samples = await readSamples({ ...world.app, clock, health });
    expect(valueOf(samples, 'paydrop_scan_age_seconds', { operation: 'card' })).toBe(5);
    expect(valueOf(samples, 'paydrop_scan_age_seconds', { operation: 'ach-charge' })).toBe(65);
    expect(valueOf(samples, 'paydrop_sweep_age_seconds')).toBe(65);
  });

  it('tells that the ledger is silent, and keeps the other figures', async () => {
    const silent = beforeStatement(world.app, /FROM file/, () => new Promise<never>(() => {}));
    // The queue answers at once, so the limit can be short.
    const counts = await world.app.queue.counts('submit');
    const app = { ...silent, queue: { ...world.app.queue, counts: () => Promise.resolve(counts) } };
    const samples = await readSamples(app, 50);
    expect(valueOf(samples, 'paydrop_ledger_up')).toBe(0);
    expect(valueOf(samples, 'paydrop_files')).toEqual([]);
    expect(valueOf(samples, 'paydrop_queue_up')).toBe(1);
  });

  it('tells that the queue is silent', async () => {
    const samples = await readSamples(
      { ...world.app, queue: { ...world.app.queue, counts: () => new Promise<never>(() => {}) } },
      50,
    );
    expect(valueOf(samples, 'paydrop_queue_up')).toBe(0);
    expect(valueOf(samples, 'paydrop_queue_jobs')).toEqual([]);
  });
});
