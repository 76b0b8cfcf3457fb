import type { App } from '../../src/app.ts';
import type { PaymentRow } from '../../src/rows/rows.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { openRowPrinter, printKey } from '../../src/crypto/fingerprints/row-print.ts';

/**
 * The prints by which payments are known again: account, sign of the operation, invoice, amount and payer. For rows that are at
 * hand as objects; the intake makes the same from their bytes (intake/encode-rows.ts).
 * @returns gives the prints of a row, one to three of `PRINT_BYTES` each
 */
export function rowFingerprinter(
  app: Pick<App, 'fingerprint'>,
  { account, operation }: Pick<FileRow, 'account' | 'operation'>,
): (row: PaymentRow) => Buffer {
  const printer = openRowPrinter(printKey(app.fingerprint, account, operation));
  const numberKind = operation === 'card' ? 'cardNumber' : 'accountNumber';
  return ({ invoice, number, customerCode, amountCents }) => {
    const bytes = Buffer.from(invoice + (number || customerCode));
    const end = Buffer.byteLength(invoice);
    const payment = [bytes, 0, end, end, bytes.length, amountCents, number ? numberKind : 'customerCode'] as const;
    printer.add(...payment);
    printer.addTurned(...payment);
    return printer.take();
  };
}
