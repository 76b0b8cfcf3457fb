import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';

/** One row of a batch, read back from its bytes. */
export type CanonicalRow = {
  readonly invoice: string;
  readonly customerCode: string;
  /** Integer cents. */
  readonly amountCents: number;
  readonly number: string;
};

/**
 * Reads the bytes of a batch as the service does: a row per line feed, a cell per comma, no quoting. It deliberately
 * shares no code with the check or the writer, so their mistakes show here before anything is sent (control total H5).
 * @throws PipelineError BODY_MISMATCH when the bytes are not rows of the layout
 */
export function readCanonical(bytes: Uint8Array, layout: LayoutName): CanonicalRow[] {
  const columns = columnsOf(layout);
  const rows = decodeBody(bytes).split('\n');
  return rows.map((row, index) => {
    const cells = row.split(',');
    if (cells.length !== columns.length)
      throw mismatch(index, `${counted(cells.length, 'column')}, expected ${columns.length}`);
    const valueOf = (column: (typeof columns)[number]) => cells[columns.indexOf(column)] ?? '';
    const amount = valueOf('amount');
    if (!/^-?[0-9]+[.][0-9]{2}$/.test(amount)) throw mismatch(index, 'the amount is not canonical');
    return {
      invoice: valueOf('invoice'),
      customerCode: valueOf('customerCode'),
      amountCents: Number(amount.replace('.', '')),
      number: valueOf('cardNumber') || valueOf('accountNumber'),
    };
  });
}

function decodeBody(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new PipelineError('BODY_MISMATCH', 'read the batch back', 'its bytes are not UTF-8');
  }
}

function mismatch(index: number, reason: string): PipelineError {
  return new PipelineError('BODY_MISMATCH', `read row ${index + 1} of the batch back`, reason);
}
