import type { Customer, PaymentKind } from '../customers/customer.ts';
import type { BatchLine, TransactionLine } from './book-entry.ts';
import type { BookRow } from './book-row.ts';
import type { BookSecret } from './book-secret.ts';
import { openPayers, type Payer, payerOfRecord } from './payer.ts';

/** A charge or refund, single or in a batch, with what the reports need. */
export type Payment = {
  readonly row: BookRow;
  readonly method: PaymentKind;
  /** Empty for a single payment without an id. */
  readonly transactionId: string;
  readonly payer: Payer;
};

/** Every judged charge and refund; not duplicates or malformed rows. */
export type PaymentBook = {
  /** Lists the payments of one account in booking order. Unseals their payers. */
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

  /** Returns the payer. A row by customer code names none, so its current record is shown. */
  function withRecord(payer: Payer, { account, customerCode }: BookRow, method: PaymentKind): Payer {
    const record = customerCode === '' ? undefined : findCustomer(account, customerCode);
    return record?.kind === method ? { ...payerOfRecord(record), comment: payer.comment } : payer;
  }

  /** Returns the payer; a refund has that of its charge. */
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

/** Returns what the payers of a batch are sealed to. */
export function batchOwner(batchId: string): string {
  return `batch ${batchId}`;
}

/** Returns what the payer of a single charge is sealed to. */
export function transactionOwner({ at, transactionId }: BookRow): string {
  return `transaction ${transactionId ?? ''} of ${at}`;
}

function isJudged({ outcome }: BookRow): boolean {
  return outcome !== 'duplicate' && outcome !== 'format_error';
}

/**
 * Returns the id of a batch row. Rows are numbered in the order of the books, which only grow, so each keeps an id that
 * is not stored. Ids of single charges begin at A6000001 (`transaction-book.ts`), a hundred million rows away.
 */
function batchRowId(serial: number): string {
  return `A${serial.toString(16).toUpperCase().padStart(7, '0')}`;
}

/** Stands in for the payers that books of earlier versions lack. */
function oldPayer({ lastFour }: BookRow): Payer {
  const shownNumber = lastFour === '' ? '' : `***${lastFour}`;
  return { firstName: '', lastName: '', payment: '', shownNumber, expiry: '', comment: '' };
}
