import { checkCard, checkExpiry } from '../customers/check-card.ts';
import type { Customer, PaymentKind } from '../customers/customer.ts';
import { mergeCustomer, wantsNewNumber } from '../customers/merge-customer.ts';
import { CUSTOMER_REFUSALS, customerPayload } from './customer-payload.ts';
import type { Call, HandlerContext, Handler } from './handler.ts';

/** Changes a record. The number is checked and replaced only when the call asks for it. */
export function updateCustomer(kind: PaymentKind): Handler {
  return {
    ...CUSTOMER_REFUSALS,
    needs: ['customerCode'],
    answer: async (call, context) => {
      const now = context.clock.now();
      return { payload: await context.books.decide(() => bookChange(kind, call, context, now)) };
    },
  };
}

/** Answer for an unknown code. Assumption: also for a record that pays another way. */
const UNKNOWN_CODE = '0Can not find the Customer Code';

function bookChange(kind: PaymentKind, { account, parameters }: Call, { books }: HandlerContext, now: Date) {
  const old = books.customers.find(account.agentCode, (parameters.text('customerCode') ?? '').trim());
  if (old?.kind !== kind) return { answer: customerPayload(UNKNOWN_CODE, '') };
  const replacesNumber = wantsNewNumber(kind, parameters);
  const record = mergeCustomer(old, parameters, replacesNumber);
  const fault = kind === 'card' ? findFault(old, record, replacesNumber, now) : undefined;
  if (fault !== undefined) return { answer: customerPayload(fault, '') };
  return {
    entry: { customer: { account: account.agentCode, record, changedAt: now.toISOString() } },
    answer: customerPayload('OK', record.code),
  };
}

/** Checks the card. Without a new number, an unchanged expiry is not checked: the card may have expired since. */
function findFault(old: Customer, record: Customer, replacesNumber: boolean, now: Date): string | undefined {
  if (replacesNumber) return checkCard(record.number, record.expiry, now);
  return record.expiry === old.expiry ? undefined : checkExpiry(record.expiry, now);
}
