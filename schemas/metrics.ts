/**
 * Every metric of `GET /metrics` besides those of the process itself (`process_…`, `nodejs_…`). Values are read on
 * request. `account` is the name in the configuration. No label grows with the number of files.
 */
type MetricRow = { readonly help: string; readonly labels: readonly ('account' | 'operation' | 'state')[] };

export const METRICS = {
  paydrop_ledger_up: {
    help: '1 when the ledger answers within 2 s; when 0, the figures from the ledger are missing',
    labels: [],
  },
  paydrop_queue_up: { help: '1 when the queue answers within 2 s', labels: [] },
  paydrop_files: { help: 'Payment files in progress or held, by state', labels: ['account', 'state'] },
  paydrop_file_oldest_age_seconds: {
    help: 'Longest time that a file has been in its state; 0 when there is none',
    labels: ['account', 'state'],
  },
  paydrop_held_rows: { help: 'Valid rows of held files', labels: ['account'] },
  paydrop_held_cents: { help: 'Total of the valid rows of held files, in cents', labels: ['account'] },
  paydrop_batches: { help: 'Batches that are not final, by state', labels: ['account', 'state'] },
  paydrop_batch_oldest_age_seconds: {
    help: 'Longest time that a batch has been in its state; 0 when there is none',
    labels: ['account', 'state'],
  },
  paydrop_unknown_batches: {
    help: 'Batches in doubt: the service may or may not have taken them',
    labels: ['account'],
  },
  paydrop_unknown_rows: { help: 'Rows of the batches in doubt', labels: ['account'] },
  paydrop_unknown_cents: { help: 'Total of the batches in doubt, in cents', labels: ['account'] },
  paydrop_account_stopped: { help: '1 when a person or an event has stopped the account', labels: ['account'] },
  paydrop_poll_lag_seconds: {
    help: 'Delay of the most overdue request for a result; 0 when all are on time',
    labels: ['account'],
  },
  paydrop_results_overdue: { help: 'Batches whose result is overdue', labels: ['account'] },
  paydrop_scan_age_seconds: {
    help: 'Longest time since this process listed a drop folder of the account and operation',
    labels: ['account', 'operation'],
  },
  paydrop_sweep_age_seconds: { help: 'Time since this process compared ledger and queue', labels: [] },
  paydrop_failing_work: { help: 'Work that fails repeatedly, and work that no process takes up', labels: [] },
  paydrop_queue_jobs: { help: 'Jobs of all queues, by state of the queue', labels: ['state'] },
  paydrop_data_free_bytes: { help: 'Free space on the disk of the ledger, archive and send journal', labels: [] },
  paydrop_journal_bytes: { help: 'Size of the send journal', labels: [] },
} as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof METRICS;
