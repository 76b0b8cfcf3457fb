import type { Customer, PaymentKind } from '../customers/customer.ts';
import type { BatchLine, TransactionLine } from './book-entry.ts';
import type { BookRow } from './book-row.ts';
import type { BookSecret } from './book-secret.ts';
import { openPayers, type Payer, payerOfRecord } from './payer.ts';

/** A charge or refund, single or of a batch, with what the reports need of it. */
export type Payment = {
  readonly row: BookRow;
  readonly method: PaymentKind;
  /** Empty for a single one that was given none. */
  readonly transactionId: string;
  readonly payer: Payer;
};

/** Every charge and refund that was judged; not rows that were duplicates or of a wrong format. */
export type PaymentBook = {
  /** Those of one account, in the order in which they were booked. Payers are unsealed for it. */
  list(account: string): readonly Payment[];
  keepBatch(line: BatchLine, rows: readonly BookRow[]): void;
  keepTransaction(line: TransactionLine): void;
};

export function keepPayments(
  secret: BookSecret,
  findCustomer: (account: string, code: string) => Customer | undefined,
): PaymentBook {
  const pages: { readonly account: string; readonly open: () => readonly Payment[] }[] = [];
  const transactions = new Map<string, TransactionLine>();
  let lastSerial = 0;

  function openBatch(line: BatchLine, rows: readonly BookRow[], firstSerial: number): Payment[] {
    const payers = line.payers === undefined ? [] : openPayers(secret, line.payers, batchOwner(line.batchId));
    const method = line.operation === 'processCreditCardBatch' ? 'card' : 'bank';
    let serial = firstSerial;
    return rows.flatMap((row, index) => {
      if (!isJudged(row)) return [];
      const payer = withRecord(payers[index] ?? oldPayer(row), row, method);
      const transactionId = batchRowId(serial);
      serial += 1;
      return [{ row, method, transactionId, payer }];
    });
  }

  /** A row by customer code names nobody, so it is shown with the record as it is now. */
  function withRecord(payer: Payer, { account, customerCode }: BookRow, method: PaymentKind): Payer {
    const record = customerCode === '' ? undefined : findCustomer(account, customerCode);
    return record?.kind === method ? { ...payerOfRecord(record), comment: payer.comment } : payer;
  }

  /** A refund is shown with the payer of its charge. */
  function payerOf({ row, payer, refundOf }: TransactionLine): Payer {
    if (payer !== undefined) return openPayers(secret, payer, transactionOwner(row))[0] ?? oldPayer(row);
    const charge = refundOf === undefined ? undefined : transactions.get(refundOf);
    return charge ? payerOf(charge) : oldPayer(row);
  }

  return {
    list: (account) => pages.filter((page) => page.account === account).flatMap(({ open }) => open()),
    keepBatch: (line, rows) => {
      const firstSerial = lastSerial + 1;
      lastSerial += rows.filter(isJudged).length;
      pages.push({ account: line.account, open: () => openBatch(line, rows, firstSerial) });
    },
    keepTransaction: (line) => {
      const { row, method } = line;
      const transactionId = row.transactionId ?? '';
      if (transactionId !== '') transactions.set(transactionId, line);
      pages.push({ account: row.account, open: () => [{ row, method, transactionId, payer: payerOf(line) }] });
    },
  };
}

/** To what the payers of a batch are sealed. */
export function batchOwner(batchId: string): string {
  return `batch ${batchId}`;
}

/** To what the payer of a single charge is sealed. */
export function transactionOwner({ at, transactionId }: BookRow): string {
  return `transaction ${transactionId ?? ''} of ${at}`;
}

function isJudged({ outcome }: BookRow): boolean {
  return outcome !== 'duplicate' && outcome !== 'format_error';
}

/**
 * Rows of batches are counted in the order of the books, which only grow, so each keeps its id though it is written
 * nowhere. Single charges have the ids from A6000001 on (`transaction-book.ts`), which a hundred million rows reach.
 */
function batchRowId(serial: number): string {
  return `A${serial.toString(16).toUpperCase().padStart(7, '0')}`;
}

/** Books of earlier versions hold no payers. */
function oldPayer({ lastFour }: BookRow): Payer {
  const shownNumber = lastFour === '' ? '' : `***${lastFour}`;
  return { firstName: '', lastName: '', payment: '', shownNumber, expiry: '', comment: '' };
}
