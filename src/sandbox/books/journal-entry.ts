import type { PaymentKind } from '../customers/customer.ts';

/** One line of the service's reports. Holds no whole number. */
export type JournalEntry = {
  /** When it entered this list with this result, ISO 8601 in UTC. */
  readonly at: string;
  readonly account: string;
  readonly method: PaymentKind;
  readonly list: 'approved' | 'rejected' | 'returned';
  /** Empty when none was issued. */
  readonly transactionId: string;
  readonly invoice: string;
  readonly customerCode: string;
  readonly firstName: string;
  readonly lastName: string;
  /** MOP of a card, account type of a bank account; may be empty. */
  readonly payment: string;
  /** Masked as the service shows it. */
  readonly shownNumber: string;
  /** MM/YY; empty for a bank account. */
  readonly expiry: string;
  readonly amountCents: number;
  /** As in the reports: `OK:678594:`, `OK:555555:`, `OK:BankAccept`, `OK:Reject`, `REJ:40`. */
  readonly result: string;
  readonly comment: string;
};
