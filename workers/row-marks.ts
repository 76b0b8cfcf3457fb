import type { App } from '../src/app.ts';
import type { CanonicalRow } from '../src/csv/read/read-canonical.ts';
import { RowFingerprints } from '../src/crypto/fingerprints/row-fingerprint.ts';
import type { FileRow } from '../src/ledger/engine/records.ts';
import { fingerprintKeyOf } from './intake/fingerprint-row.ts';

/** Marks of the rows of a batch. `rowOf` says which row each of them is of, counted from 0. */
export type RowMarks = { readonly marks: Buffer; readonly rowOf: readonly number[] };

/**
 * Returns the marks by which the rows of a batch are known again if the ledger forgets them: their fingerprints, one to
 * three for each. Rows without an invoice get one too, unlike in the ledger. There those of a month would all look
 * alike; here only calls count that the ledger has forgotten, and a row that is held once too often does no harm.
 */
export function markRows(
  app: Pick<App, 'fingerprint' | 'ledger'>,
  { account, operation }: Pick<FileRow, 'account' | 'operation'>,
  rows: readonly CanonicalRow[],
): RowMarks {
  const fingerprints = new RowFingerprints(fingerprintKeyOf(app, { account, operation }));
  const numberKind = operation === 'card' ? 'cardNumber' : 'accountNumber';
  const rowOf: number[] = [];
  for (const [row, { invoice, number, customerCode, amountCents }] of rows.entries()) {
    const bytes = Buffer.from(invoice + (number || customerCode));
    const end = Buffer.byteLength(invoice);
    const payment = [bytes, 0, end, end, bytes.length, amountCents, number ? numberKind : 'customerCode'] as const;
    fingerprints.add(...payment);
    rowOf.push(row);
    for (let added = fingerprints.addTurned(...payment); added > 0; added -= 1) rowOf.push(row);
  }
  return { marks: fingerprints.take(), rowOf };
}
