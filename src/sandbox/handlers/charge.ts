import type { FieldName } from '../../../schemas/fields.ts';
import { maskNumber, shownEnd } from '../batch/mask-number.ts';
import { hideCardNumber } from '../batch/read-row.ts';
import type { Customer, PaymentKind } from '../customers/customer.ts';
import { newCustomer } from '../customers/new-customer.ts';
import type { Call, HandlerContext, Handler } from './handler.ts';
import { judgeCharge, outcomeOf } from './judge-charge.ts';
import { BAD_LOGIN_PROCESS_PAYLOAD, bankPayload, cardPayload, FAILED_PROCESS_PAYLOAD } from './process-payload.ts';
import { readTotal } from './read-total.ts';
import { type Payer, payerOfRecord } from '../books/payer.ts';
import type { Parameters } from '../soap/read-parameters.ts';

/**
 * Source of the payment details: `given` in the call, `stored` under a customer code, or `new`: given, and stored under
 * a new code once approved.
 */
export type ChargeSource = 'given' | 'stored' | 'new';

/**
 * Returns the handler of a single charge. No charge is a duplicate: the invoice number is a label, so a repeated charge
 * charges again. The row and the record it creates are one line of the books, written before the answer leaves.
 */
export function charge(kind: PaymentKind, source: ChargeSource): Handler {
  const elements = elementsOf(kind, source);
  return {
    needs: [source === 'stored' ? 'customerCode' : elements.number, 'total'],
    failurePayload: FAILED_PROCESS_PAYLOAD,
    badLoginPayload: BAD_LOGIN_PROCESS_PAYLOAD,
    answer: async (call, context) => {
      const at = context.clock.now();
      const payload = await context.books.decide(() => bookCharge({ kind, source, elements, call, context, at }));
      return { payload };
    },
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
  const message = source === 'stored' && !stored ? UNKNOWN_CODE : judgeCall(charge, number, amountCents);
  const isCharged = message.startsWith('OK');
  const transactionId = isCharged || (kind === 'card' && message !== UNKNOWN_CODE) ? books.transactions.nextId() : '';
  const created = source === 'new' && isCharged ? createRecord(charge, number) : undefined;
  const row = {
    at: at.toISOString(),
    account: account.agentCode,
    operation,
    batchId: '',
    position: 1,
    invoice: hideCardNumber(parameters.text('invoiceNum') ?? ''),
    customerCode: hideCardNumber(created?.code ?? parameters.text('customerCode') ?? ''),
    amountCents: amountCents ?? 0,
    lastFour: shownEnd(number),
    outcome: outcomeOf(kind, isCharged),
    message,
    charged: isCharged,
    ...(transactionId === '' ? {} : { transactionId }),
  } as const;
  const cardKey = kind === 'card' ? { cardKey: books.keyOf(['card', number]) } : {};
  const result = { message, customerCode: created?.code ?? stored?.code ?? '', transactionId };
  return {
    entry: {
      transaction: { row, method: kind, ...cardKey },
      payer: payerOfCall(parameters, { kind, number, expiry: charge.elements.expiry, record: stored }),
      ...(created ? { customer: { account: account.agentCode, record: created } } : {}),
    },
    answer: kind === 'card' ? cardPayload(result, at) : bankPayload(result),
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

function judgeCall({ kind, call }: Charge, number: string, amountCents: number | undefined): string {
  const { account, parameters } = call;
  return judgeCharge({
    kind,
    number,
    amountCents,
    server: account.server,
    ipAddress: parameters.text('customerIPAddress') ?? '',
    securityCode: parameters.text('cvv2') ?? '',
  });
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
