import { stringify } from 'csv-stringify/sync';
import type { Payment } from './read-payments.ts';

export type Batch = { rows: readonly Payment[]; body: string };

/** Cuts batches of at most `maxRows` rows, each written as CSV and encoded for the call. */
export function cutBatches(payments: readonly Payment[], maxRows: number): Batch[] {
  const batches: Batch[] = [];
  for (let from = 0; from < payments.length; from += maxRows) {
    const rows = payments.slice(from, from + maxRows);
    batches.push({ rows, body: Buffer.from(stringify(rows)).toString('base64') });
  }
  return batches;
}
