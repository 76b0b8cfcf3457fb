import type { JournalReading } from './resolve/read-journal.ts';
import { describeWait } from '../explain/attempt-words.ts';

/** Says which transaction report the operator must supply next, after one that left rows in doubt. */
export function nextReportWords({ report, counts }: JournalReading, waitMs: number): string[] {
  const wait = describeWait(Math.max(1, Math.ceil(waitMs / 60_000)) * 60_000);
  const second = `Give a second report of approved payments, made at least ${wait} after this one was given and with later payments in it.`;
  return [
    ...(report.covers ? [] : [`What it lacks proves nothing: ${report.coversNot}.`]),
    ...(report.neverCovers && counts.absent > 0
      ? [
          'No other report will show it either. Adopt the batch id, let the service confirm that it never took the batch, or close it in doubt.',
        ]
      : []),
    ...(!report.neverCovers && counts.absent > 0 ? [second] : []),
    ...(counts.ambiguous > 0
      ? [
          'For rows that cannot be told, give the report of the day, which shows the ends of the numbers, or close the batch in doubt.',
        ]
      : []),
  ];
}
