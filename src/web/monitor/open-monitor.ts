import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { App } from '../../app.ts';
import type { ListenAddress } from '../../config/config-dashboard.ts';
import { PipelineError, reasonOf } from '../../kernel/errors.ts';
import { findUnready } from './find-unready.ts';
import { type MetricName, METRICS } from '../../../schemas/metrics.ts';
import { readSamples } from './read-samples.ts';

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
    app.log.warn({ err: error }, 'a question of the monitor failed');
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
