import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { METRICS, type MetricName } from '../../../schemas/metrics.ts';
import type { App } from '../../app.ts';
import { readSamples } from './read-samples.ts';

export type MetricsPage = { readonly contentType: string; render(): Promise<string> };

/** The figures in the text form of Prometheus, in a registry of their own: several may live in one process. */
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
      // From here to the end without a pause, so that two who ask at once never see half of a reading.
      for (const [name, gauge] of gauges) forget(name, gauge);
      for (const { name, labels, value } of samples) gauges.get(name)!.set(labels ?? {}, value);
      return registry.metrics();
    },
  };
}

/** After a reset a figure without labels is 0, although it is not known; one with labels is gone. */
function forget(name: MetricName, gauge: Gauge): void {
  gauge.reset();
  if (METRICS[name].labels.length === 0) gauge.remove();
}
