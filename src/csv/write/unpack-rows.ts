import { columnsOf } from '../../../schemas/layouts.ts';
import type { PaymentRow } from '../../rows/rows.ts';
import type { CheckedGroup } from '../check/checked-group.ts';

/** Returns the valid rows of a group as objects, which cost far more than their bytes. */
export function unpackRows({ layout, packed }: Pick<CheckedGroup, 'layout' | 'packed'>): PaymentRow[] {
  if (!layout) return [];
  const { count, bytes, starts, lines, cents } = packed;
  const columns = columnsOf(layout);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: count }, (_, index) => {
    const canonical = text.toString('utf8', starts[index], starts[index + 1]! - 1).split(',');
    const valueOf = (column: (typeof columns)[number]) => canonical[columns.indexOf(column)] ?? '';
    return {
      line: lines[index]!,
      invoice: valueOf('invoice'),
      customerCode: valueOf('customerCode'),
      amountCents: cents[index]!,
      number: valueOf('cardNumber') || valueOf('accountNumber'),
      canonical,
    };
  });
}
