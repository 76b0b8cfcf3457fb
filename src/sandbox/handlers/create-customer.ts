import { checkCard } from '../customers/check-card.ts';
import type { PaymentKind } from '../customers/customer.ts';
import { newCustomer } from '../customers/new-customer.ts';
import { mergeCustomer } from '../customers/merge-customer.ts';
import { CUSTOMER_REFUSALS, customerPayload } from './customer-payload.ts';
import type { Call, HandlerContext, Handler } from './handler.ts';

/** Stores a record under the client's code or a new code. Bank accounts are stored unchecked, even when empty. */
export function createCustomer(kind: PaymentKind): Handler {
  return {
    ...CUSTOMER_REFUSALS,
    needs: kind === 'card' ? ['creditCardNum'] : [],
    answer: async (call, context) => {
      const now = context.clock.now();
      return { payload: await context.books.decide(() => bookRecord(kind, call, context, now)) };
    },
  };
}

/** Assumption: no source shows the answer to a code that is already taken. */
const DUPLICATE_CODE = '0Error:Duplicate customer code';

function bookRecord(kind: PaymentKind, { account, parameters }: Call, { books }: HandlerContext, now: Date) {
  const { agentCode } = account;
  const code = parameters.text('customerCode')?.trim() || books.customers.nextCode(agentCode);
  const record = mergeCustomer(emptyRecord(kind, code, now), parameters, true);
  const fault = kind === 'card' ? checkCard(record.number, record.expiry, now) : undefined;
  if (fault !== undefined) return { answer: customerPayload(fault, '') };
  if (books.customers.find(agentCode, code)) return { answer: customerPayload(DUPLICATE_CODE, '') };
  return { entry: { customer: { account: agentCode, record } }, answer: customerPayload('OK', code) };
}

function emptyRecord(kind: PaymentKind, code: string, now: Date) {
  const payment = { holder: '', number: '', method: '', expiry: '' };
  return newCustomer({ code, kind, createdAt: now.toISOString(), ...payment, textOf: () => undefined });
}
