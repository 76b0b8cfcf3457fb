import type { App } from '../src/app.ts';
import type { PaymentRow } from '../src/kernel/rows.ts';
import type { FileRow } from '../src/ledger/records.ts';

/** The mark by which a payment is known again: account, operation, invoice, amount and payer (F71). */
export function fingerprintRow(
  app: Pick<App, 'fingerprint'>,
  { account, operation }: Pick<FileRow, 'account' | 'operation'>,
  { invoice, amountCents, number, customerCode }: PaymentRow,
): Buffer {
  return app.fingerprint([account, operation, invoice, String(amountCents), number || customerCode]);
}
