import type { Transaction } from '../books/book-row.ts';
import { AMOUNT_NUMBERS, rejectionByAmount, judgeCardRefund } from '../batch/magic-cards.ts';
import type { PaymentKind } from '../customers/customer.ts';
import { bankStateOf } from '../time/bank-state.ts';
import { type Call, decideNow, type Handler, type HandlerContext } from './handler.ts';
import { isPaid, PAYMENT_REFUSALS, paymentPayload, readTotal, singleRow } from './charge.ts';

/**
 * Returns the handler that refunds a single charge, in whole or in part, and issues a new id. The charge must be the
 * account's own, approved, and of the same kind. A refund cannot be refunded.
 */
export function refund(kind: PaymentKind): Handler {
  return {
    needs: ['transactionId', 'total'],
    ...PAYMENT_REFUSALS,
    answer: (call, context) => decideNow(context, (at) => bookRefund({ kind, call, context, at })),
  };
}

type Refund = { readonly kind: PaymentKind; readonly call: Call; readonly context: HandlerContext; readonly at: Date };

function bookRefund(refund: Refund) {
  const { kind, call, context, at } = refund;
  const { account, operation, parameters } = call;
  const original = findCharge(refund);
  const amountCents = readTotal(parameters.text('total'));
  const planned = context.takeRejection?.(operation);
  const message = planned ?? (original ? judgeRefund(refund, original, amountCents) : UNKNOWN_CHARGE);
  const transactionId = isPaid(message) || (kind === 'card' && original) ? context.books.transactions.nextId() : '';
  const row = singleRow({
    kind,
    at: at.toISOString(),
    account: account.agentCode,
    operation,
    invoice: original?.row.invoice ?? '',
    customerCode: original?.row.customerCode ?? '',
    amountCents,
    lastFour: original?.row.lastFour ?? '',
    message,
    transactionId,
  });
  const refundOf = original?.row.transactionId;
  const result = { message, customerCode: '', transactionId };
  return {
    entries: [{ transaction: { row, method: kind, ...(refundOf === undefined ? {} : { refundOf }) } }],
    answer: paymentPayload(kind, result, at),
  };
}

const UNKNOWN_CHARGE = 'REJECT: 39';
/** Assumption: no source shows a refund whose total is unreadable or not negative. */
const NOT_AN_AMOUNT = 'REJECT: 5';
const NOT_CLEARED = 'REJECT: 3';

function findCharge({ kind, call, context }: Refund): Transaction | undefined {
  const transactionId = (call.parameters.text('transactionId') ?? '').trim();
  const found = context.books.transactions.find(call.account.agentCode, transactionId);
  return found && found.row.charged && found.method === kind && found.refundOf === undefined ? found : undefined;
}

function judgeRefund(refund: Refund, original: Transaction, amountCents: number | undefined): string {
  if (amountCents === undefined || amountCents >= 0) return NOT_AN_AMOUNT;
  const { row, cardKey } = original;
  const { kind, context, at } = refund;
  const { books, refundsMayExceed } = context;
  const isNumber = (number: string) => cardKey === books.keyOf([kind, number]);
  const rejection = isNumber(AMOUNT_NUMBERS[kind]) ? rejectionByAmount(amountCents) : undefined;
  if (rejection !== undefined) return rejection;
  if (kind === 'bank' && !hasMoney(original, context, at)) return NOT_CLEARED;
  const refundedCents = books.transactions.refundedCents(row.transactionId ?? '') - amountCents;
  const isTooMuch = !refundsMayExceed && refundedCents > row.amountCents;
  if (kind === 'bank') return isTooMuch ? 'REJECT: 15' : 'OK: 555555:';
  return judgeCardRefund({ isCard: isNumber, isTooMuch });
}

/**
 * Returns whether a bank charge has brought money, or still may. The service refunded charges in progress in one year
 * and refused to in another. Assumption: it refuses those that failed for good.
 */
function hasMoney(charge: Transaction, { books, refundsNeedSettlement }: HandlerContext, at: Date): boolean {
  const { row } = charge;
  switch (bankStateOf(new Date(row.at), row.amountCents, at, books.payments.courseOf(charge)).stage) {
    case 'accepted':
      return true;
    case 'to be sent':
    case 'pending':
      return !refundsNeedSettlement;
    case 'rejected':
    case 'returned':
      return false;
  }
}
