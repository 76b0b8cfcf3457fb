import { describe, expect, it } from 'vitest';
import { startHealth } from '../../../src/kernel/health.ts';
import { findUnready, readSamples, type Sample } from '../../../src/web/monitor/read-samples.ts';
import { openPipelineWorld } from '../../support/pipeline-world.ts';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { beforeStatement } from '../../workers/support/step-world.ts';
import { isShared, METRICS, type MetricName, metricType } from '../../../schemas/metrics.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { FEATURES } from '../../../src/features.ts';

const world = openedForTests(() => openPipelineWorld({ features: FEATURES }));

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
    const read = Object.keys(METRICS).filter(
      (name) => metricType(name as MetricName) === 'gauge' && name !== 'paydrop_build_info',
    );
    expect(new Set<string>(samples.map(({ name }) => name))).toEqual(new Set(read));
    expect(valueOf(samples, 'paydrop_ledger_exporter')).toBe(1);
    expect(valueOf(samples, 'paydrop_queue_jobs', { queue: 'submit', state: 'waiting' })).toBe(0);
    expect(valueOf(samples, 'paydrop_ledger_up')).toBe(1);
    expect(valueOf(samples, 'paydrop_queue_up')).toBe(1);
    expect(valueOf(samples, 'paydrop_files', { ...main, state: 'held' })).toBe(0);
    expect(valueOf(samples, 'paydrop_batches', { ...main, state: 'unknown' })).toBe(0);
    expect(valueOf(samples, 'paydrop_unknown_cents', main)).toBe(0);
    expect(valueOf(samples, 'paydrop_account_stopped', main)).toBe(0);
    expect(valueOf(samples, 'paydrop_data_free_bytes')).toBeGreaterThan(0);
  });

  it('leaves what all processes share to the one that shows it', async () => {
    const instance = { ...world.app.ledger.instance, hasDuty: async () => false };
    const samples = await readSamples({ ...world.app, ledger: { ...world.app.ledger, instance } });
    expect(valueOf(samples, 'paydrop_ledger_up')).toBe(1);
    expect(valueOf(samples, 'paydrop_ledger_exporter')).toBe(0);
    expect(valueOf(samples, 'paydrop_queue_up')).toBe(1);
    expect(samples.filter(({ name }) => isShared(name))).toEqual([]);
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

  it('counts the files that lie in drop folders', async () => {
    const waiting = async () => (await readSamples(running())).filter(({ name }) => name === 'paydrop_waiting_files');
    const before = await waiting();
    const { path, account, operation } = world.settings.folders[0]!;
    const names = ['a.csv', 'b.csv', 'b.csv.ctl', 'c.csv.part', 'Thumbs.db'];
    for (const name of names) await writeFile(join(path, name), '');
    const after = await waiting();
    for (const name of names) await rm(join(path, name));
    expect(after).toEqual(
      before.map((sample) => {
        const isHere = sample.labels!['account'] === account && sample.labels!['operation'] === operation;
        return { ...sample, value: sample.value + (isHere ? 2 : 0) };
      }),
    );
    expect(before).not.toEqual([]);
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
