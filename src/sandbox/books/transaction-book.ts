import type { Transaction } from './book-entry.ts';

/** The single charges and refunds. */
export type TransactionBook = {
  /** Finds a transaction of that account by its id. */
  find(account: string, transactionId: string): Transaction | undefined;
  /** Returns what was refunded of a charge so far, in positive cents. */
  refundedCents(transactionId: string): number;
  /**
   * Returns `A` and seven uppercase hexadecimal digits, ascending; no id is issued twice.
   * @param ahead how many more were taken for lines not booked yet
   */
  nextId(ahead?: number): string;
  keep(transaction: Transaction): void;
};

export function keepTransactions(): TransactionBook {
  const known = new Map<string, Transaction>();
  const refunded = new Map<string, number>();
  let lastSerial = FIRST_SERIAL - 1;

  return {
    find: (account, transactionId) => {
      const found = known.get(transactionId);
      return found?.row.account === account ? found : undefined;
    },
    refundedCents: (transactionId) => refunded.get(transactionId) ?? 0,
    nextId: (ahead = 0) => `A${(lastSerial + 1 + ahead).toString(16).toUpperCase().padStart(7, '0')}`,
    keep: (transaction) => {
      const { row, refundOf } = transaction;
      if (row.transactionId !== undefined) {
        known.set(row.transactionId, transaction);
        lastSerial = Number.parseInt(row.transactionId.slice(1), 16);
      }
      if (refundOf !== undefined && row.charged) {
        refunded.set(refundOf, (refunded.get(refundOf) ?? 0) - row.amountCents);
      }
    },
  };
}

const FIRST_SERIAL = 0x6000001;
