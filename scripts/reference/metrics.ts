import { isShared, METRICS, type MetricName, metricType } from '../../schemas/metrics.ts';
import { code, codes, page, table, withStop } from './markdown.ts';

export function renderMetrics(): string {
  return page(
    '# Metrics for a monitoring program',
    'What `GET /metrics` shows, in the text form of Prometheus. It is off until `monitor.listen` or `PAYDROP_MONITOR` says where to listen; [operating.md](../operating.md#watching-it) says how. No label grows with the files. Those of the process itself, `process_…` and `nodejs_…`, come on top.',
    'A figure *for all* is what every process would say. One process shows it, as `paydrop_ledger_exporter` tells; when that one dies, or nothing asks it for two minutes, the next that is asked takes over. Let the monitoring program ask each process at least once a minute. The others show what that process does, sees and counts.',
    'Counters count what one process did since it started. They are for rates and alerts; `paydrop report` has the exact figures, with the corrections and with what commands did. Money is in cents of the currency of the account.',
    table(
      ['Figure', 'Type', 'Shown', 'Labels', 'Meaning'],
      Object.entries(METRICS).map(([name, { help, labels }]) => [
        code(name),
        metricType(name as MetricName),
        isShared(name as MetricName) ? 'for all' : 'by each process',
        codes(labels),
        withStop(help),
      ]),
    ),
  );
}
