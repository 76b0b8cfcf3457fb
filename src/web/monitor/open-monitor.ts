import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { BATCH_STATES, FILE_STATES } from '../../../schemas/lifecycle.ts';
import { type EventMetric, type MetricName, METRICS, metricType } from '../../../schemas/metrics.ts';
import type { App } from '../../app.ts';
import type { ListenAddress } from '../../config/config-dashboard.ts';
import { PipelineError, reasonOf } from '../../kernel/errors.ts';
import { findUnready, readSamples } from './read-samples.ts';

export type Monitor = { readonly url: string; close(): Promise<void> };

/**
 * Answers monitoring over plain HTTP without a log-in. It changes nothing and shows no card or account number, no payer
 * and no secret.
 * `GET /health/live`: 200 while the process runs. `GET /health/ready`: 200 when it can finish files, else 503 with what
 * is wrong. `GET /metrics`: the figures of schemas/metrics.ts for Prometheus.
 * @param version of paydrop
 * @throws PipelineError CONFIG_INVALID when the address is taken or is not one of this host
 */
export async function openMonitor(app: App, { host, port }: ListenAddress, version = ''): Promise<Monitor> {
  const server = fastify({ logger: false, forceCloseConnections: true, requestTimeout: 10_000 });
  const metrics = openRegistry(app, version);

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
    close: () => {
      metrics.close();
      return server.close();
    },
  };
}

type MetricsPage = { readonly contentType: string; render(): Promise<string>; close(): void };

/**
 * Renders the figures in Prometheus text format. Each page has its own registry: one process may have several. It counts
 * events from now on.
 */
export function openRegistry(app: App, version = ''): MetricsPage {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauges = new Map<MetricName, Gauge>();
  const events = new Map<MetricName, (labels: Record<string, string>, value: number) => void>();
  for (const [key, row] of Object.entries(METRICS)) {
    const name = key as MetricName;
    const common = { name, help: row.help, labelNames: [...row.labels], registers: [registry] };
    switch (metricType(name)) {
      case 'gauge':
        gauges.set(name, new Gauge(common));
        break;
      case 'counter': {
        const counter = new Counter(common);
        events.set(name, (labels, value) => counter.inc(labels, value));
        for (const labels of EXPECTED[name as EventMetric]?.(app) ?? []) counter.inc(labels, 0);
        break;
      }
      case 'histogram': {
        const histogram = new Histogram({ ...common, buckets: 'buckets' in row ? [...row.buckets] : [] });
        events.set(name, (labels, value) => histogram.observe(labels, value));
      }
    }
  }
  const deafen = app.health.tally.listen((name, labels, value) => events.get(name)!(labels, value));
  return {
    contentType: registry.contentType,
    render: async () => {
      const samples = await readSamples(app);
      // No await from here on, so that concurrent requests never see half a reading.
      for (const [name, gauge] of gauges) forget(name, gauge);
      gauges.get('paydrop_build_info')!.set({ version, node: process.version }, 1);
      for (const { name, labels, value } of samples) gauges.get(name)!.set(labels ?? {}, value);
      return registry.metrics();
    },
    close: deafen,
  };
}

/** Labels that are shown before their first event: a counter that begins at 1 has no increase to see. */
const EXPECTED: { readonly [Name in EventMetric]?: (app: App) => Record<string, string>[] } = {
  paydrop_file_moves_total: (app) => perAccount(app, FILE_STATES),
  paydrop_batch_moves_total: (app) => perAccount(app, BATCH_STATES),
  paydrop_log_lines_total: () => [{ level: 'error' }],
  paydrop_quarantined_total: () => [{}],
};

function perAccount({ settings }: App, states: object): Record<string, string>[] {
  return [...settings.accounts.keys()].flatMap((account) => Object.keys(states).map((state) => ({ account, state })));
}

/** Removes a figure. After a reset alone, one without labels would be 0 although it is unknown. */
function forget(name: MetricName, gauge: Gauge): void {
  gauge.reset();
  if (METRICS[name].labels.length === 0) gauge.remove();
}
