import type { App } from '../../src/app.ts';
import type { PaymentRow } from '../../src/rows/rows.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { openRowPrinter, printKey } from '../../src/crypto/fingerprints/row-print.ts';

/**
 * Returns a function for the fingerprints that identify a payment: account, sign of the operation, invoice, amount and
 * payer. It takes rows as objects; intake makes the same from their bytes (intake/encode-rows.ts).
 * @returns gives one to three fingerprints for a row, `PRINT_BYTES` each
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
