import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { METRICS, type MetricName } from '../../../schemas/metrics.ts';
import type { App } from '../../app.ts';
import { readSamples } from './read-samples.ts';

export type MetricsPage = { readonly contentType: string; render(): Promise<string> };

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
