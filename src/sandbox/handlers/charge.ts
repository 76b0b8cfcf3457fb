import type { FieldName } from '../../../schemas/fields.ts';
import { hideCardNumber, maskNumber, shownEnd } from '../batch/mask-number.ts';
import { isAccountNumber } from '../batch/process-batch.ts';
import { type Customer, newCustomer, type PaymentKind } from '../customers/customer.ts';
import { type Call, decideNow, type Handler, type HandlerContext } from './handler.ts';
import type { BookRow, Payer } from '../books/book-row.ts';
import { payerOfRecord } from '../books/payment-book.ts';
import type { Parameters } from '../soap/read-parameters.ts';
import { findRejection, type CardCharge, judgeCard } from '../batch/magic-cards.ts';
import { parseAmount } from '../../kernel/money.ts';
import { element, textElement } from '../xml/write-xml.ts';
import { chargeValues, findBreak, ruleSetting } from '../rules/find-break.ts';
import { isReport } from '../../../schemas/wire.ts';

/**
 * Source of the payment details: `given` in the call, `stored` under a customer code, or `new`: given, and stored under
 * a new code once approved.
 */
type ChargeSource = 'given' | 'stored' | 'new';

/**
 * Returns the handler of a single charge. No charge is a duplicate: the invoice number is a label, so a repeated charge
 * charges again. The row and the record it creates are one line of the books, written before the answer leaves.
 */
export function charge(kind: PaymentKind, source: ChargeSource): Handler {
  const elements = elementsOf(kind, source);
  return {
    needs: [source === 'stored' ? 'customerCode' : elements.number, 'total'],
    ...PAYMENT_REFUSALS,
    answer: (call, context) => decideNow(context, (at) => bookCharge({ kind, source, elements, call, context, at })),
  };
}

/** Returns the element names; only the card operation that creates a record has its own. */
function elementsOf(kind: PaymentKind, source: ChargeSource): { number: FieldName; expiry: FieldName } {
  if (kind === 'bank') return { number: 'accountNum', expiry: 'creditCardExpiry' };
  if (source === 'new') return { number: 'ccNum', expiry: 'ccExp' };
  return { number: 'creditCardNum', expiry: 'creditCardExpiry' };
}

type Charge = {
  readonly kind: PaymentKind;
  readonly source: ChargeSource;
  readonly elements: { readonly number: FieldName; readonly expiry: FieldName };
  readonly call: Call;
  readonly context: HandlerContext;
  readonly at: Date;
};

function bookCharge(charge: Charge) {
  const { kind, source, call, context, at } = charge;
  const { account, operation, parameters } = call;
  const { books } = context;
  const stored = source === 'stored' ? findPayer(charge) : undefined;
  const number = stored?.number ?? parameters.text(charge.elements.number)?.trim() ?? '';
  const amountCents = readTotal(parameters.text('total'));
  const isUnknown = source === 'stored' && !stored;
  const planned = context.takeRejection?.(operation);
  const message = planned ?? (isUnknown ? UNKNOWN_CODE : judgeCall(charge, number, amountCents, stored));
  const isCharged = isPaid(message);
  const transactionId = isCharged || (kind === 'card' && !isUnknown) ? books.transactions.nextId() : '';
  const created = source === 'new' && isCharged ? createRecord(charge, number) : undefined;
  const row = singleRow({
    kind,
    at: at.toISOString(),
    account: account.agentCode,
    operation,
    invoice: parameters.text('invoiceNum') ?? '',
    customerCode: created?.code ?? parameters.text('customerCode') ?? '',
    amountCents,
    lastFour: shownEnd(number),
    message,
    transactionId,
  });
  const cardKey = books.keyOf([kind, number]);
  const result = { message, customerCode: created?.code ?? stored?.code ?? '', transactionId };
  return {
    entries: [
      {
        transaction: { row, method: kind, cardKey },
        payer: payerOfCall(parameters, { kind, number, expiry: charge.elements.expiry, record: stored }),
        ...(created ? { customer: { account: account.agentCode, record: created } } : {}),
      },
    ],
    answer: paymentPayload(kind, result, at),
  };
}

/** Answer for a code that does not exist, or whose record pays another way. */
const UNKNOWN_CODE = 'REJECT: 3';

function findPayer({ kind, call, context }: Charge): Customer | undefined {
  const found = context.books.customers.find(
    call.account.agentCode,
    (call.parameters.text('customerCode') ?? '').trim(),
  );
  return found?.kind === kind ? found : undefined;
}

function judgeCall(
  charge: Charge,
  number: string,
  amountCents: number | undefined,
  stored: Customer | undefined,
): string {
  const { kind, call, context } = charge;
  const { account, operation, parameters } = call;
  const message = judgeCharge({
    kind,
    number,
    amountCents,
    server: account.server,
    ipAddress: parameters.text('customerIPAddress') ?? '',
    securityCode: parameters.text('cvv2') ?? '',
  });
  if (kind === 'bank' || !isPaid(message) || isReport(operation)) return message;
  const values = stored ? chargeValues(parameters, stored) : parameters;
  return findBreak('decline', operation, values, ruleSetting(context, account.server)) ?? message;
}

function createRecord({ kind, elements, call, context, at }: Charge, number: string): Customer {
  const { account, parameters } = call;
  return newCustomer({
    code: context.books.customers.nextCode(account.agentCode),
    kind,
    createdAt: at.toISOString(),
    holder: `${parameters.text('firstName') ?? ''} ${parameters.text('lastName') ?? ''}`.trim(),
    number,
    method: kind === 'card' ? '' : (parameters.text('accountType') ?? ''),
    expiry: kind === 'card' ? (parameters.text(elements.expiry) ?? '') : '',
    // The charge calls the second telephone `phone2`, the record `alternatePhone`.
    textOf: (field) => parameters.text(field === 'alternatePhone' ? 'phone2' : field),
  });
}

type PaidWith = {
  readonly kind: PaymentKind;
  readonly number: string;
  /** The element that carries the expiry. */
  readonly expiry: FieldName;
  /** The charged record, if any. It says who pays; the call does not. */
  readonly record: Customer | undefined;
};

/** Returns who pays for a single charge, and with what. The comment is always that of the call. */
export function payerOfCall(parameters: Parameters, { kind, number, expiry, record }: PaidWith): Payer {
  const textOf = (name: FieldName) => parameters.text(name)?.trim() ?? '';
  const comment = textOf('comment');
  if (record) return { ...payerOfRecord(record), comment };
  return {
    firstName: textOf('firstName'),
    lastName: textOf('lastName'),
    payment: textOf(kind === 'card' ? 'mop' : 'accountType'),
    shownNumber: maskNumber(number),
    expiry: kind === 'card' ? textOf(expiry) : '',
    comment,
  };
}

export type JudgedCharge = Omit<CardCharge, 'number' | 'amountCents'> & {
  readonly kind: PaymentKind;
  readonly number: string;
  /** Undefined when it is unreadable. */
  readonly amountCents: number | undefined;
};

/**
 * Judges a single charge as the service does. A bank charge is only received; whether it is paid is known days later.
 * @returns `OK: ...` or `REJECT: n`
 */
export function judgeCharge({ kind, amountCents, ...charge }: JudgedCharge): string {
  const isAmount = amountCents !== undefined && amountCents > 0;
  if (kind === 'bank') {
    if (!isAccountNumber(charge.number)) return 'REJECT: 40';
    if (!isAmount) return NOT_AN_AMOUNT;
    return findRejection('bank', charge.number, amountCents) ?? 'OK: 555555:';
  }
  const message = judgeCard({ ...charge, amountCents: amountCents ?? 0 });
  // The service reports a wrong number before a wrong amount.
  return isAmount || message === 'REJECT: 40' ? message : NOT_AN_AMOUNT;
}

/** Assumption: no source shows a charge whose total is unreadable, zero or negative. */
const NOT_AN_AMOUNT = 'REJECT: 5';

/** Returns the books' name for the outcome of a charge or refund. */
export function outcomeOf(kind: PaymentKind, isPaid: boolean): 'declined' | 'approved' | 'accepted_pending' {
  if (!isPaid) return 'declined';
  return kind === 'card' ? 'approved' : 'accepted_pending';
}

type SinglePayment = Pick<
  BookRow,
  'at' | 'account' | 'operation' | 'invoice' | 'customerCode' | 'lastFour' | 'message'
> & {
  readonly kind: PaymentKind;
  /** Undefined when it is unreadable. */
  readonly amountCents: number | undefined;
  /** Empty when none was issued. */
  readonly transactionId: string;
};

/** Returns a single charge or refund as the books keep it. */
export function singleRow({ kind, at, account, operation, ...given }: SinglePayment): BookRow {
  const { lastFour, message, transactionId } = given;
  const charged = isPaid(message);
  return {
    at,
    account,
    operation,
    batchId: '',
    position: 1,
    invoice: hideCardNumber(given.invoice),
    customerCode: hideCardNumber(given.customerCode),
    amountCents: given.amountCents ?? 0,
    lastFour,
    outcome: outcomeOf(kind, charged),
    message,
    charged,
    ...(transactionId === '' ? {} : { transactionId }),
  };
}

export function isPaid(message: string): boolean {
  return message.startsWith('OK');
}

/**
 * Reads the total of a single charge or refund, in cents. The service reads a comma as a decimal point.
 * @returns undefined when it is not an amount
 */
export function readTotal(text: string | undefined): number | undefined {
  const amount = parseAmount((text ?? '').trim().replace(',', '.'));
  return typeof amount === 'number' ? amount : undefined;
}

/** Result of a single charge or refund. `message` is `OK: ...` or `REJECT: n`; missing values are empty. */
type ProcessResult = {
  readonly message: string;
  readonly customerCode: string;
  readonly transactionId: string;
};

/**
 * Returns the payload of a charge or refund. Its values are padded: mostly a leading space and a trailing line feed. Of
 * a card, declines have settlement dates too; those of a bank account are not known.
 * @param at settlement is on the day after; days are in UTC
 */
export function paymentPayload(kind: PaymentKind, result: ProcessResult, at: Date): string {
  if (kind === 'bank') return payloadOf(result);
  return payloadOf(
    result,
    textElement('SETTLEMENTBATCHDATE', ` ${monthFirst(at)}\n`),
    textElement('SETTLEMENTDATE', ` ${monthFirst(new Date(at.getTime() + DAY_MS))}\n`),
  );
}

/** Payloads shared by all charges and refunds. */
export const PAYMENT_REFUSALS = {
  failurePayload: element('PROCESSRESULT', textElement('AUTHORIZATIONRESULT', '')),
  /** Assumption, except for the code: no recorded answer shows a wrong login. Nothing is booked, so nothing settles. */
  badLoginPayload: payloadOf({ message: 'REJECT: 1', customerCode: '', transactionId: '' }),
} as const;

const DAY_MS = 24 * 60 * 60 * 1000;

function payloadOf({ message, customerCode, transactionId }: ProcessResult, ...dates: readonly string[]): string {
  return element(
    'PROCESSRESULT',
    textElement('AUTHORIZATIONRESULT', ` ${message}\n`),
    textElement('CUSTOMERCODE', customerCode),
    ...dates,
    textElement('TRANSACTIONID', transactionId === '' ? '' : `${transactionId}\n`),
  );
}

function monthFirst(day: Date): string {
  const [year, month, date] = day.toISOString().slice(0, 10).split('-');
  return `${month}/${date}/${year}`;
}
