import { METRICS } from '../../schemas/metrics.ts';
import { code, codes, page, table, withStop } from './markdown.ts';

export function renderMetrics(): string {
  return page(
    '# Metrics for a monitoring program',
    'What `GET /metrics` shows, in the text form of Prometheus. It is off until `monitor.listen` or `PAYDROP_MONITOR` says where to listen; [operating.md](../operating.md#watching-it) says how. All of them are read when they are asked for, and none has a label that could grow with the files. Those of the process itself, `process_…` and `nodejs_…`, come on top.',
    table(
      ['Figure', 'Labels', 'Meaning'],
      Object.entries(METRICS).map(([name, { help, labels }]) => [code(name), codes(labels), withStop(help)]),
    ),
  );
}
