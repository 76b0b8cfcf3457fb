import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import { startHealth } from '../../../src/kernel/health.ts';
import { METRICS, type MetricName } from '../../../schemas/metrics.ts';
import { readSamples, type Sample } from '../../../src/web/monitor/open-monitor.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';
import { beforeStatement } from '../../workers/support/failing-app.ts';

let world: PipelineWorld;
beforeAll(async () => {
  world = await openPipelineWorld();
});
afterAll(() => world.close());

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
