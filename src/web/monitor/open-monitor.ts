import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { App } from '../../app.ts';
import type { ListenAddress } from '../../config/config-dashboard.ts';
import { PipelineError, reasonOf } from '../../kernel/errors.ts';
import { findUnready, HEALTH_MS } from './find-unready.ts';
import { type MetricName, METRICS } from '../../../schemas/metrics.ts';
import { stat, statfs } from 'node:fs/promises';
import { QUEUES, type QueueName } from '../../../schemas/jobs.ts';
import { answerInTime } from '../../kernel/answer-in-time.ts';
import {
  countOpenBatches,
  countOpenFiles,
  OPEN_BATCH_STATES,
  OPEN_FILE_STATES,
  type OpenCount,
  type OpenSum,
  sumDoubt,
  sumHeld,
} from '../../ledger/overview/overview.ts';
import { readPollLag } from '../../ledger/batch/schedule-poll.ts';
import { readStops } from '../../ledger/account/read-holds.ts';
import { readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';

export type Monitor = { readonly url: string; close(): Promise<void> };

/**
 * Answers monitoring over plain HTTP without a log-in. It changes nothing and shows no card or account number, no payer
 * and no secret.
 * `GET /health/live`: 200 while the process runs. `GET /health/ready`: 200 when it can finish files, else 503 with what
 * is wrong. `GET /metrics`: the figures of schemas/metrics.ts for Prometheus.
 * @throws PipelineError CONFIG_INVALID when the address is taken or is not one of this host
 */
export async function openMonitor(app: App, { host, port }: ListenAddress): Promise<Monitor> {
  const server = fastify({ logger: false, forceCloseConnections: true, requestTimeout: 10_000 });
  const metrics = openRegistry(app);

  server.get('/health/live', async () => ({ live: true }));
  server.get('/health/ready', async (_request, reply) => {
    const wrong = await findUnready(app);
    return reply.code(wrong.length === 0 ? 200 : 503).send({ ready: wrong.length === 0, wrong });
  });
  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()));
  // Errors go to the log only, because database messages name users and hosts.
  server.setErrorHandler(async (error, _request, reply) => {
    app.log.warn({ err: error }, 'a check of the monitor failed');
    return reply.code(500).send({ error: 'see the log' });
  });

  await server.listen({ host, port }).catch(async (error: unknown) => {
    await server.close();
    const next = 'Choose another port or host for the monitor.';
    throw new PipelineError('CONFIG_INVALID', `listen on "${host}:${port}"`, reasonOf(error), { cause: error, next });
  });
  const { address, family, port: taken } = server.server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    close: () => server.close(),
  };
}

type MetricsPage = { readonly contentType: string; render(): Promise<string> };

/** Renders the figures in Prometheus text format. Each page has its own registry: one process may have several. */
export function openRegistry(app: App): MetricsPage {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauges = new Map<MetricName, Gauge>();
  for (const [name, { help, labels }] of Object.entries(METRICS)) {
    gauges.set(name as MetricName, new Gauge({ name, help, labelNames: [...labels], registers: [registry] }));
  }
  return {
    contentType: registry.contentType,
    render: async () => {
      const samples = await readSamples(app);
      // No await from here on, so that concurrent requests never see half a reading.
      for (const [name, gauge] of gauges) forget(name, gauge);
      for (const { name, labels, value } of samples) gauges.get(name)!.set(labels ?? {}, value);
      return registry.metrics();
    },
  };
}

/** Removes a figure. After a reset alone, one without labels would be 0 although it is unknown. */
function forget(name: MetricName, gauge: Gauge): void {
  gauge.reset();
  if (METRICS[name].labels.length === 0) gauge.remove();
}

/** One figure of `schemas/metrics.ts`. */
export type Sample = { name: MetricName; value: number; labels?: Record<string, string> };

/** Reads every figure. Figures of a part that does not answer are missing; the others show which part it is. */
export async function readSamples(app: App, limitMs = HEALTH_MS): Promise<Sample[]> {
  const [ledger, queue, disk] = await Promise.all([
    readOr(limitMs, readLedgerSamples(app), [{ name: 'paydrop_ledger_up', value: 0 }]),
    readOr(limitMs, readQueueSamples(app), [{ name: 'paydrop_queue_up', value: 0 }]),
    readOr(limitMs, readDiskSamples(app), []),
  ]);
  return [...ledger, ...queue, ...disk, ...readHealthSamples(app)];
}

function readOr(limitMs: number, samples: Promise<Sample[]>, instead: Sample[]): Promise<Sample[]> {
  return answerInTime(limitMs, samples).catch(() => instead);
}

async function readLedgerSamples(app: App): Promise<Sample[]> {
  const { ledger } = app;
  const [files, batches, held, doubt, lags, stops, obstacles] = await Promise.all([
    countOpenFiles(ledger),
    countOpenBatches(ledger),
    sumHeld(ledger),
    sumDoubt(ledger),
    readPollLag(ledger),
    readStops(ledger),
    readObstacles(ledger, app.settings),
  ]);
  const accounts = accountsOf(app, [...files, ...batches, ...held, ...doubt, ...lags]);
  return [
    { name: 'paydrop_ledger_up', value: 1 },
    { name: 'paydrop_failing_work', value: obstacles.length },
    ...stateSamples(app, accounts, OPEN_FILE_STATES, files, 'paydrop_files', 'paydrop_file_oldest_age_seconds'),
    ...stateSamples(app, accounts, OPEN_BATCH_STATES, batches, 'paydrop_batches', 'paydrop_batch_oldest_age_seconds'),
    ...accounts.flatMap((account): Sample[] => {
      const labels = { account };
      const ofHeld = sumOf(held, account);
      const ofDoubt = sumOf(doubt, account);
      const lag = lags.find((row) => row.account === account);
      const isStopped = stops.some((stop) => stop.account === account || stop.account === '*');
      return [
        { name: 'paydrop_held_rows', labels, value: ofHeld.rows },
        { name: 'paydrop_held_cents', labels, value: ofHeld.cents },
        { name: 'paydrop_unknown_batches', labels, value: ofDoubt.things },
        { name: 'paydrop_unknown_rows', labels, value: ofDoubt.rows },
        { name: 'paydrop_unknown_cents', labels, value: ofDoubt.cents },
        { name: 'paydrop_account_stopped', labels, value: isStopped ? 1 : 0 },
        { name: 'paydrop_poll_lag_seconds', labels, value: lag ? ageSeconds(app, lag.dueAt) : 0 },
        { name: 'paydrop_results_overdue', labels, value: lag?.overdue ?? 0 },
      ];
    }),
  ];
}

/** Returns a figure for every state. One that exists only during trouble would look stale to a monitor. */
function stateSamples<State extends string>(
  app: App,
  accounts: readonly string[],
  states: readonly State[],
  counts: readonly OpenCount<State>[],
  countName: MetricName,
  ageName: MetricName,
): Sample[] {
  return accounts.flatMap((account) =>
    states.flatMap((state): Sample[] => {
      const labels = { account, state };
      const found = counts.find((row) => row.account === account && row.state === state);
      return [
        { name: countName, labels, value: found?.count ?? 0 },
        { name: ageName, labels, value: found ? ageSeconds(app, found.oldestAt) : 0 },
      ];
    }),
  );
}

function accountsOf(app: App, rows: readonly { account: string }[]): string[] {
  return [...new Set([...app.settings.accounts.keys(), ...rows.map((row) => row.account)])];
}

function sumOf(sums: readonly OpenSum[], account: string): Pick<OpenSum, 'things' | 'rows' | 'cents'> {
  return sums.find((sum) => sum.account === account) ?? { things: 0, rows: 0, cents: 0 };
}

async function readQueueSamples(app: App): Promise<Sample[]> {
  const names = Object.keys(QUEUES) as QueueName[];
  const totals = new Map<string, number>();
  for (const counts of await Promise.all(names.map((name) => app.queue.counts(name)))) {
    for (const [state, count] of Object.entries(counts)) totals.set(state, (totals.get(state) ?? 0) + count);
  }
  const jobs = [...totals].map(([state, value]): Sample => ({ name: 'paydrop_queue_jobs', labels: { state }, value }));
  return [{ name: 'paydrop_queue_up', value: 1 }, ...jobs];
}

async function readDiskSamples({ settings }: App): Promise<Sample[]> {
  const [disk, journal] = await Promise.all([statfs(settings.paths.data), stat(settings.paths.journal)]);
  return [
    { name: 'paydrop_data_free_bytes', value: disk.bavail * disk.bsize },
    { name: 'paydrop_journal_bytes', value: journal.size },
  ];
}

function readHealthSamples(app: App): Sample[] {
  const { health, settings } = app;
  const ages = new Map<string, Sample>();
  for (const { id, account, operation } of settings.folders) {
    if (!health.watched.has(id)) continue;
    const value = ageSeconds(app, health.listedAt.get(id) ?? health.begunAt);
    const key = `${account} ${operation}`;
    if (value < (ages.get(key)?.value ?? 0)) continue;
    ages.set(key, { name: 'paydrop_scan_age_seconds', labels: { account, operation }, value });
  }
  const sweepAge = ageSeconds(app, health.sweptAt ?? health.begunAt);
  return [...ages.values(), { name: 'paydrop_sweep_age_seconds', value: sweepAge }];
}

function ageSeconds(app: App, since: Date): number {
  return Math.max(0, (app.clock.now().getTime() - since.getTime()) / 1_000);
}
