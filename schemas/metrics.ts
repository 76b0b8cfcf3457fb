import { withRows } from './features.ts';
import type { MetricRow } from './table-rows.ts';

/** What all processes share. Only one of them shows it, so that a sum over processes is right. */
const SHARED_METRICS = {
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
  paydrop_perhaps_twice_pairs: {
    help: 'Pairs of payments that were perhaps made twice: open, or acknowledged by a user who has looked',
    labels: ['account', 'state'],
  },
  paydrop_failing_work: { help: 'Work that fails repeatedly, and work that no process takes up', labels: [] },
  paydrop_waiting_files: {
    help: 'Files that lie in drop folders and are not taken yet; one process of each site shows the folders of its site',
    labels: ['account', 'operation'],
  },
  paydrop_role_processes: {
    help: 'Processes that have the role and gave a sign of life in the last two minutes; the site is empty for a role of all sites',
    labels: ['role', 'site'],
  },
  paydrop_role_unattended_seconds: {
    help: 'How long no process has had the role although it has work; 0 when one has, for two minutes, and without work',
    labels: ['role', 'site'],
  },
  paydrop_queue_jobs: {
    help: 'Jobs by queue and state; one process of each site shows the queues of its site',
    labels: ['queue', 'state'],
  },
} as const satisfies Record<string, MetricRow>;

/** What a process says of itself, its host and its disk, read on request. */
const PROCESS_METRICS = withRows(
  {
    paydrop_build_info: { help: '1, with the versions of paydrop and Node.js', labels: ['version', 'node'] },
    paydrop_ledger_exporter: { help: '1 when this process shows the shared figures of the ledger', labels: [] },
    paydrop_ledger_up: {
      help: '1 when the ledger answers this process within 2 s; when 0, it shows no shared figures',
      labels: [],
    },
    paydrop_queue_up: { help: '1 when the queue answers this process within 2 s', labels: [] },
    paydrop_scan_age_seconds: {
      help: 'Longest time since this process listed a drop folder of the account and operation',
      labels: ['account', 'operation'],
    },
    paydrop_sweep_age_seconds: { help: 'Time since this process compared ledger and queue', labels: [] },
    paydrop_quarantined_drops: { help: 'Drops in the quarantine folder', labels: [] },
    paydrop_data_free_bytes: { help: 'Free space on the disk of the ledger, archive and send journal', labels: [] },
    paydrop_journal_bytes: { help: 'Size of the send journal', labels: [] },
  } as const satisfies Record<string, MetricRow>,
  'gauges',
);

/**
 * Events of a process since it began to listen. They show rates; the books are `paydrop report` and the audit trail,
 * which also know what other processes, commands and corrections did.
 */
const COUNTERS = withRows(
  {
    paydrop_file_moves_total: {
      help: 'Files that this process moved into a state: accepted, held or rejected by its check, completed, cancelled',
      labels: ['account', 'state'],
    },
    paydrop_batch_moves_total: {
      help: 'Batches that this process moved into a state, such as submitted, refused, unknown or reconciled',
      labels: ['account', 'state'],
    },
    paydrop_rows_total: {
      help: 'Rows by their first outcome; "invalid" are those that the check of a file withheld',
      labels: ['account', 'operation', 'outcome'],
    },
    paydrop_cents_total: {
      help: 'Total of rows by their first outcome, in cents of the currency of the account',
      labels: ['account', 'operation', 'outcome'],
    },
    paydrop_quarantined_total: { help: 'Drops moved to quarantine', labels: [] },
    paydrop_log_lines_total: { help: 'Log lines of the level error and above', labels: ['level'] },
  } as const satisfies Record<string, MetricRow>,
  'counters',
);

const HISTOGRAMS = {
  paydrop_call_seconds: {
    help: 'Duration of calls of the service, from connecting to the answer; "clock" asks for its time',
    labels: ['operation', 'answer'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  },
} as const satisfies Record<string, MetricRow & { readonly buckets: readonly number[] }>;

export const METRICS = { ...SHARED_METRICS, ...PROCESS_METRICS, ...COUNTERS, ...HISTOGRAMS };

export type MetricName = keyof typeof METRICS;

/** A figure that is read on request. */
export type GaugeName = keyof typeof SHARED_METRICS | keyof typeof PROCESS_METRICS;

/** A figure that is counted as it happens. */
export type EventMetric = keyof typeof COUNTERS | keyof typeof HISTOGRAMS;

export type MetricType = 'gauge' | 'counter' | 'histogram';

export function metricType(name: MetricName): MetricType {
  if (Object.hasOwn(HISTOGRAMS, name)) return 'histogram';
  return Object.hasOwn(COUNTERS, name) ? 'counter' : 'gauge';
}

/** Returns whether one process shows the figure for all. */
export function isShared(name: MetricName): boolean {
  return Object.hasOwn(SHARED_METRICS, name);
}
