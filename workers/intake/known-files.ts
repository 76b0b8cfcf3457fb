import type { FileRow } from '../../src/ledger/engine/records.ts';
import { type Arrived, contentOf, type Unreadable } from './arrived.ts';
import { hasCodes, mayBeSwapped } from './find-earlier-payments.ts';
import { type Fingerprints, knownPayments } from './known-payments.ts';
import type { Reading } from './read-content.ts';

export type Known = ReturnType<typeof openKnown>;

/** What is known of the files of one transaction, to find one that another may concern. All of it is kept by merchant. */
export function openKnown() {
  const known = new Set<string>();
  const nameOf = ({ merchant_no: merchantNo }: FileRow, what: string, value: string | number) =>
    `${merchantNo} ${what} ${value}`;
  const contentsOf = (one: Arrived | Unreadable) => [one.file.sha256, contentOf(one) ?? one.file.sha256];
  const marksOf = (file: FileRow, { check, rowSet }: Reading) => [
    ...(rowSet === null ? [] : [nameOf(file, 'rows', rowSet)]),
    ...(check.valid.rows === 0 ? [] : [nameOf(file, 'totals', `${check.valid.rows} ${check.valid.cents}`)]),
  ];
  // Whose codes were used before tells whether these changed places with the invoices.
  const codesOf = (file: FileRow, reading: Reading) =>
    hasCodes(reading) ? [nameOf(file, 'layout', 'with codes')] : [];
  const payments = new Map<number, ReturnType<typeof knownPayments>>();
  let isEmpty = true;
  return {
    isEmpty: () => isEmpty,
    hasContent: (one: Arrived | Unreadable) =>
      contentsOf(one).some((sha256) => known.has(nameOf(one.file, 'content', sha256))),
    addContent: (one: Arrived | Unreadable) => {
      for (const sha256 of contentsOf(one)) known.add(nameOf(one.file, 'content', sha256));
    },
    hasRows: (file: FileRow, reading: Reading, own: Fingerprints) => {
      return (
        payments.get(file.merchant_no)?.hasAny(own) ||
        marksOf(file, reading).some((mark) => known.has(mark)) ||
        (mayBeSwapped(reading) && codesOf(file, reading).some((mark) => known.has(mark)))
      );
    },
    addRows: (file: FileRow, reading: Reading, own: Fingerprints) => {
      isEmpty = false;
      const ofMerchant = payments.get(file.merchant_no) ?? knownPayments();
      payments.set(file.merchant_no, ofMerchant);
      ofMerchant.add(own);
      for (const mark of [...marksOf(file, reading), ...codesOf(file, reading)]) known.add(mark);
    },
  };
}
