import type { PaymentRow } from '../../rows/rows.ts';

/**
 * Returns the bytes of a batch as they are sent: UTF-8 without a mark or header. Commas join cells and LFs join rows;
 * none follows the last row. The same rows always give the same bytes.
 */
export function canonicalBytes(rows: readonly PaymentRow[]): Buffer {
  return Buffer.from(rows.map((row) => row.canonical.join(',')).join('\n'), 'utf8');
}
