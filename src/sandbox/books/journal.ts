import { type BankState, bankStateOf } from '../time/bank-state.ts';
import type { JournalEntry } from './journal-entry.ts';
import type { Books } from './open-books.ts';
import type { Payment } from './payment-book.ts';

/**
 * Every charge and refund of an account as a line of the reports, the oldest first.
 *
 * A payment stands in one list at a time, so no sum counts it twice: a bank charge is approved when it is taken, and is
 * approved anew, rejected or returned once the bank has spoken, from that moment on. That it moves, instead of leaving
 * a line behind, is our assumption.
 */
export function journalOf(books: Pick<Books, 'payments'>, account: string, now: Date): readonly JournalEntry[] {
  const entries = books.payments.list(account).map((payment) => entryOf(payment, now));
  return entries.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

type Place = Pick<JournalEntry, 'at' | 'list' | 'result'>;

function entryOf(payment: Payment, now: Date): JournalEntry {
  const { row, method, transactionId, payer } = payment;
  const { account, invoice, customerCode, amountCents } = row;
  return { ...placeOf(payment, now), account, method, transactionId, invoice, customerCode, ...payer, amountCents };
}

function placeOf({ row, method }: Payment, now: Date): Place {
  const { at, charged, message, amountCents } = row;
  if (!charged) return { at, list: 'rejected', result: reportText(message) };
  if (method === 'card') return { at, list: 'approved', result: reportText(message) };
  const { stage, since } = bankStateOf(new Date(at), amountCents, now);
  return { ...BANK_PLACES[stage], at: isFinal(stage) ? since.toISOString() : at };
}

/** The return code is one of those that the vendor lists; which one the test account gives is not known. */
const BANK_PLACES: Readonly<Record<BankState['stage'], Pick<Place, 'list' | 'result'>>> = {
  'to be sent': { list: 'approved', result: 'OK:555555:' },
  pending: { list: 'approved', result: 'OK:555555:' },
  accepted: { list: 'approved', result: 'OK:BankAccept' },
  rejected: { list: 'rejected', result: 'OK:Reject' },
  returned: { list: 'returned', result: 'REJ:63' },
};

function isFinal(stage: BankState['stage']): boolean {
  return stage !== 'to be sent' && stage !== 'pending';
}

/** `OK: 678594:` -> `OK:678594:`, `REJECT: 15` -> `REJ:15` */
function reportText(message: string): string {
  return message.replace(/^REJECT: /, 'REJ:').replace(/^OK: /, 'OK:');
}
