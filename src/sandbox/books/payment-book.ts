import type { Customer, PaymentKind } from '../customers/customer.ts';
import type { BatchLine, BookRow, Payer, Transaction, TransactionLine } from './book-row.ts';
import type { BookSecret } from './book-secret.ts';
import type { BankCourse, BankStep } from '../time/bank-state.ts';
import { hideCardNumber, maskNumber } from '../batch/mask-number.ts';

/** A charge or refund, single or in a batch, with what the reports need. */
export type Payment = {
  readonly row: BookRow;
  readonly method: PaymentKind;
  /** Empty for a single payment without an id. */
  readonly transactionId: string;
  readonly payer: Payer;
  /** What decides about a bank payment besides its amount. */
  readonly course?: BankCourse;
};

/** A payment of the history, in the forms of both books. */
export type HistoryPayment = Payment & Transaction;

export type PaymentBook = ReturnType<typeof keepPayments>;

/** A row of the books with the id that reports give it; empty when no report shows it. */
export type ShownRow = Pick<Payment, 'row' | 'transactionId' | 'course'>;

/** Keeps every judged charge and refund; not duplicates or malformed rows. */
export function keepPayments(
  secret: BookSecret,
  findCustomer: (account: string, code: string) => Customer | undefined,
  firstRow: number,
) {
  const pages: {
    readonly account: string;
    readonly open: () => readonly Payment[];
    readonly show: () => readonly ShownRow[];
  }[] = [];
  const transactions = new Map<string, TransactionLine>();
  const history = keyedLater();
  const batches = new Map<string, HistoryPayment[]>();
  const steps = new Map<string, readonly BankStep[]>();
  let lastSerial = firstRow - 1;

  function openBatch(line: BatchLine, rows: readonly BookRow[], firstSerial: number): Payment[] {
    const payers = openPayers(secret, line.payers, batchOwner(line.batchId));
    const method = line.operation === 'processCreditCardBatch' ? 'card' : 'bank';
    let serial = firstSerial;
    return rows.flatMap((row, index) => {
      if (!isJudged(row)) return [];
      const payer = withRecord(payers[index]!, row, method);
      const transactionId = idOf(serial);
      serial += 1;
      return [{ row, method, transactionId, payer }];
    });
  }

  function showBatch(rows: readonly BookRow[], firstSerial: number): ShownRow[] {
    let serial = firstSerial - 1;
    return rows.map((row) => ({ row, transactionId: isJudged(row) ? idOf((serial += 1)) : '' }));
  }

  /** Returns the payer. A row by customer code names none, so its current record is shown. */
  function withRecord(payer: Payer, { account, customerCode }: BookRow, method: PaymentKind): Payer {
    const record = customerCode === '' ? undefined : findCustomer(account, customerCode);
    return record?.kind === method ? { ...payerOfRecord(record), comment: payer.comment } : payer;
  }

  /** Returns the payer; a refund has that of its charge. */
  function payerOf({ row, payer, refundOf }: TransactionLine): Payer {
    if (payer !== undefined) return openPayers(secret, payer, transactionOwner(row))[0]!;
    const charge = refundOf === undefined ? undefined : transactions.get(refundOf);
    if (charge) return payerOf(charge);
    return history.find(refundOf ?? '')?.payer ?? unknownPayer(row);
  }

  function keepHistoryRow(payment: HistoryPayment): void {
    lastSerial += 1;
    const known = batches.get(payment.row.batchId);
    if (known) known.push(payment);
    else batches.set(payment.row.batchId, [payment]);
  }

  function withSteps<Shown extends ShownRow>(payment: Shown): Shown {
    const own = steps.get(payment.transactionId);
    return own ? { ...payment, course: { ...payment.course, steps: own } } : payment;
  }

  function withAllSteps<Shown extends ShownRow>(payments: readonly Shown[]): readonly Shown[] {
    return steps.size === 0 ? payments : payments.map(withSteps);
  }

  function openPages(account: string | undefined): readonly Payment[] {
    const found = pages.filter((page) => account === undefined || page.account === account);
    return withAllSteps(found.flatMap(({ open }) => open()));
  }

  return {
    /** Lists the payments of one account, or of all, in booking order. Unseals their payers. */
    list: (account?: string): readonly Payment[] => openPages(account),
    /** Lists every row of all accounts in booking order. Opens nothing that is sealed. */
    rows: (): readonly ShownRow[] => withAllSteps(pages.flatMap(({ show }) => show())),
    /** Lists the rows of a batch of the history. */
    historyBatch: (batchId: string): readonly HistoryPayment[] => batches.get(batchId) ?? [],
    /** Returns what decides about a bank payment besides its amount. */
    courseOf: ({ row, fate }: Transaction): BankCourse => {
      const own = steps.get(row.transactionId ?? '');
      return { ...(fate ? { fate } : {}), ...(own ? { steps: own } : {}) };
    },
    keepStep: (transactionId: string, { stage, at, code }: BankStep): void => {
      const step = { stage, at, ...(code === undefined ? {} : { code }) };
      steps.set(transactionId, [...(steps.get(transactionId) ?? []), step]);
    },
    keepHistory: (payments: readonly HistoryPayment[]): void => {
      const accounts = new Map<string, HistoryPayment[]>();
      history.add(payments);
      for (const payment of payments) {
        if (payment.row.batchId !== '') keepHistoryRow(payment);
        const own = accounts.get(payment.row.account) ?? [];
        own.push(payment);
        accounts.set(payment.row.account, own);
      }
      for (const [account, own] of accounts) pages.push({ account, open: () => own, show: () => [] });
      pages.push({ account: '', open: () => [], show: () => payments });
    },
    keepBatch: (line: BatchLine, rows: readonly BookRow[]): void => {
      const firstSerial = lastSerial + 1;
      lastSerial += rows.filter(isJudged).length;
      const open = () => openBatch(line, rows, firstSerial);
      pages.push({ account: line.account, open, show: () => showBatch(rows, firstSerial) });
    },
    keepTransaction: (line: TransactionLine): void => {
      const { row, method } = line;
      const transactionId = row.transactionId ?? '';
      if (transactionId !== '') transactions.set(transactionId, line);
      const open = () => [{ row, method, transactionId, payer: payerOf(line) }];
      pages.push({ account: row.account, open, show: () => [{ row, transactionId }] });
    },
  };
}

/** Keeps payments of a history, and sorts them by their ids when one is asked for: there may be a million. */
function keyedLater() {
  const added: (readonly HistoryPayment[])[] = [];
  const known = new Map<string, HistoryPayment>();
  return {
    add: (payments: readonly HistoryPayment[]): void => void added.push(payments),
    find: (transactionId: string): HistoryPayment | undefined => {
      for (const payment of added.splice(0).flat()) known.set(payment.transactionId, payment);
      return known.get(transactionId);
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
 * Returns `A` and at least seven uppercase hexadecimal digits. Rows of batches are numbered in the order of the books, which only
 * grow, so each keeps an id that is not stored. Ids of single charges
 * begin at A6000001, a hundred million rows away, or further.
 */
export function idOf(serial: number): string {
  return `A${serial.toString(16).toUpperCase().padStart(7, '0')}`;
}

/** Stands in for the payer of a refund whose charge is not in the books. */
function unknownPayer({ lastFour }: BookRow): Payer {
  const shownNumber = lastFour === '' ? '' : `***${lastFour}`;
  return { firstName: '', lastName: '', payment: '', shownNumber, expiry: '', comment: '' };
}

export function payerOfRecord({ contact, method, number, expiry }: Customer): Payer {
  const { firstName, lastName, comment } = contact;
  return { firstName, lastName, payment: method, shownNumber: maskNumber(number), expiry, comment };
}

/**
 * Seals the payers of one book line, row by row; null for a row that no report shows. Masks card numbers in the wrong
 * place first.
 */
export function sealPayers(secret: BookSecret, payers: readonly (Payer | null)[], owner: string): string {
  const shown = payers.map((payer) => payer && hideNumbers(payer));
  return secret.seal(Buffer.from(JSON.stringify(shown)), ownerOf(owner));
}

export function openPayers(secret: BookSecret, sealed: string, owner: string): readonly (Payer | null)[] {
  return JSON.parse(secret.unseal(sealed, ownerOf(owner)).toString('utf8')) as (Payer | null)[];
}

function hideNumbers(payer: Payer): Payer {
  return Object.fromEntries(Object.entries(payer).map(([name, text]) => [name, hideCardNumber(text)])) as Payer;
}

function ownerOf(owner: string): string {
  return `payers of ${owner}`;
}

export type TransactionBook = ReturnType<typeof keepTransactions>;

/** Keeps the single charges and refunds. */
export function keepTransactions(firstSerial: number) {
  const known = new Map<string, Transaction>();
  const history = keyedLater();
  const refunded = new Map<string, number>();
  let lastSerial = firstSerial - 1;

  function noteRefund({ row, refundOf }: Transaction): void {
    if (refundOf === undefined || !row.charged) return;
    refunded.set(refundOf, (refunded.get(refundOf) ?? 0) - row.amountCents);
  }

  return {
    find: (account: string, transactionId: string): Transaction | undefined => {
      const found = known.get(transactionId) ?? history.find(transactionId);
      if (found?.row.transactionId === undefined) return undefined;
      return found?.row.account === account ? found : undefined;
    },
    /** Returns what was refunded of a charge so far, in positive cents. */
    refundedCents: (transactionId: string): number => refunded.get(transactionId) ?? 0,
    /**
     * Returns the next id; none is issued twice.
     * @param ahead how many more were taken for lines not booked yet
     */
    nextId: (ahead = 0): string => idOf(lastSerial + 1 + ahead),
    keep: (transaction: Transaction): void => {
      const { row } = transaction;
      if (row.transactionId !== undefined) {
        known.set(row.transactionId, transaction);
        lastSerial = Number.parseInt(row.transactionId.slice(1), 16);
      }
      noteRefund(transaction);
    },
    keepHistory: (payments: readonly HistoryPayment[]): void => {
      history.add(payments);
      for (const payment of payments) noteRefund(payment);
      const last = payments.findLast(({ row }) => row.transactionId !== undefined);
      if (last) lastSerial = Number.parseInt(last.transactionId.slice(1), 16);
    },
  };
}
