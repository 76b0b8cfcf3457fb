import type { PaymentRow } from '../../rows/rows.ts';

/**
 * The bytes of a batch as they are sent: cells joined by commas, rows by LF and none after the last,
 * UTF-8 without a mark, no header. The same rows always give the same bytes.
 */
export function canonicalBytes(rows: readonly PaymentRow[]): Buffer {
  return Buffer.from(rows.map((row) => row.canonical.join(',')).join('\n'), 'utf8');
}
