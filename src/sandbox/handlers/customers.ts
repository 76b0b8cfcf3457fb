import type { Decision } from '../books/open-books.ts';
import type { Parameters } from '../soap/read-parameters.ts';
import { element, textElement } from '../xml/write-xml.ts';
import {
  checkCard,
  checkExpiry,
  type Customer,
  mergeCustomer,
  newCustomer,
  type PaymentKind,
  wantsNewNumber,
} from '../customers/customer.ts';
import { type Call, decideNow, type Handler, type HandlerContext } from './handler.ts';
import { isSuiteCard } from '../batch/magic-cards.ts';
import { findBreak, ruleSetting } from '../rules/find-break.ts';
import { isReport } from '../../../schemas/wire.ts';
import { customersCsv, customerXml } from '../customers/write-customers.ts';

/**
 * Returns the payload of operations on one record. Unlike in charges, its values have no padding: PHP compares them as
 * they are.
 */
export function customerPayload(result: string, customerCode: string): string {
  return element(
    'PROCESSRESULT',
    textElement('AUTHORIZATIONRESULT', result),
    textElement('CUSTOMERCODE', customerCode),
  );
}

function codeOf(parameters: Parameters): string {
  return (parameters.text('customerCode') ?? '').trim();
}

/** Payloads shared by all operations on customer records. */
export const CUSTOMER_REFUSALS = {
  failurePayload: element('PROCESSRESULT', textElement('AUTHORIZATIONRESULT', '')),
  badLoginPayload: customerPayload('Error : Invalid Username or Password.', ''),
} as const;

/** Stores a record under the client's code or a new code. Bank accounts are stored unchecked, even when empty. */
export function createCustomer(kind: PaymentKind): Handler {
  return {
    ...CUSTOMER_REFUSALS,
    needs: kind === 'card' ? ['creditCardNum'] : [],
    answer: (call, context) => decideNow(context, (now) => bookRecord(kind, call, context, now)),
  };
}

/** Assumption: no source shows the answer to a code that is already taken. */
const DUPLICATE_CODE = '0Error:Duplicate customer code';

function bookRecord(kind: PaymentKind, call: Call, context: HandlerContext, now: Date): Decision<string> {
  const { account, parameters } = call;
  const { books } = context;
  const { agentCode } = account;
  const code = parameters.text('customerCode')?.trim() || books.customers.nextCode(agentCode);
  const payment = { holder: '', number: '', method: '', expiry: '' };
  const empty = newCustomer({ code, kind, createdAt: now.toISOString(), ...payment, textOf: () => undefined });
  const record = mergeCustomer(empty, parameters, true);
  const day = dayFor(record, context, now);
  const fault = kind === 'card' ? checkCard(record.number, record.expiry, day) : findRecordBreak(call, context);
  if (fault !== undefined) return { answer: customerPayload(fault, '') };
  if (books.customers.find(agentCode, code)) return { answer: customerPayload(DUPLICATE_CODE, '') };
  return { entries: [{ customer: { account: agentCode, record } }], answer: customerPayload('OK', code) };
}

/** Changes a record. The number is checked and replaced only when the call asks for it. */
export function updateCustomer(kind: PaymentKind): Handler {
  return {
    ...CUSTOMER_REFUSALS,
    needs: ['customerCode'],
    answer: (call, context) => decideNow(context, (now) => bookChange(kind, call, context, now)),
  };
}

/** Answer for an unknown code. Assumption: also for a record that pays another way. */
const UNKNOWN_CODE = '0Can not find the Customer Code';

function bookChange(kind: PaymentKind, call: Call, context: HandlerContext, now: Date) {
  const { account, parameters } = call;
  const { books } = context;
  const old = books.customers.find(account.agentCode, codeOf(parameters));
  if (old?.kind !== kind) return { answer: customerPayload(UNKNOWN_CODE, '') };
  const replacesNumber = wantsNewNumber(kind, parameters);
  const record = mergeCustomer(old, parameters, replacesNumber);
  const day = dayFor(record, context, now);
  const fault = kind === 'card' ? findFault(old, record, replacesNumber, day) : findRecordBreak(call, context);
  if (fault !== undefined) return { answer: customerPayload(fault, '') };
  return {
    entries: [{ customer: { account: account.agentCode, record, changedAt: now.toISOString() } }],
    answer: customerPayload('OK', record.code),
  };
}

/** Returns the day as on which the expiry of a card is judged: for one of the public suite a day before all dates. */
function dayFor({ number, expiry }: Customer, { publicSuites, cardsValidAt }: HandlerContext, now: Date): Date {
  return publicSuites === true && isSuiteCard(number, expiry) ? new Date(0) : (cardsValidAt ?? now);
}

/** Finds a strict rule that the call breaks. The service itself is known to store any bank account. */
function findRecordBreak({ account, operation, parameters }: Call, context: HandlerContext): string | undefined {
  if (isReport(operation)) return undefined;
  return findBreak('record', operation, parameters, ruleSetting(context, account.server));
}

/** Checks the card. Without a new number, an unchanged expiry is not checked: the card may have expired since. */
function findFault(old: Customer, record: Customer, replacesNumber: boolean, day: Date): string | undefined {
  if (replacesNumber) return checkCard(record.number, record.expiry, day);
  return record.expiry === old.expiry ? undefined : checkExpiry(record.expiry, day);
}

/** Deletes a record. An unknown code gets the same answer, which clients rely on. */
export const deleteCustomer: Handler = {
  ...CUSTOMER_REFUSALS,
  needs: ['customerCode'],
  answer: async ({ account, parameters }, { books }) => {
    const code = codeOf(parameters);
    const deletion = { account: account.agentCode, code };
    await books.decide(() => ({
      entries: books.customers.find(account.agentCode, code) ? [{ deletion }] : [],
      answer: undefined,
    }));
    return { payload: customerPayload('OK', `"${code}" is deleted`) };
  },
};

export const customerDetail: Handler = {
  ...CUSTOMER_REFUSALS,
  needs: ['customerCode'],
  answer: ({ account, parameters, isFirstVersion }, { books }) => {
    const code = codeOf(parameters);
    const customer = books.customers.find(account.agentCode, code);
    if (!customer) return { payload: customerPayload(NO_SUCH_RECORD, code) };
    return { payload: element('CUSTOMERS', customerXml(customer, isFirstVersion)) };
  },
};

const NO_SUCH_RECORD = "Error : The customer code doesn't exist!";

/** Lists the records created between two moments, both included, oldest first. An empty code matches all of them. */
export function customerList(form: 'XML' | 'CSV'): Handler {
  return {
    ...CUSTOMER_REFUSALS,
    needs: [],
    answer: (call, context) => {
      const customers = findCustomers(call, context);
      if (form === 'XML')
        return { payload: element('CUSTOMERS', ...customers.map((one) => customerXml(one, call.isFirstVersion))) };
      return { payload: textElement('FILE', Buffer.from(customersCsv(customers)).toString('base64')) };
    },
  };
}

/** Finds the records. .NET reads an omitted date as its first day, so a list without an end is empty. */
function findCustomers({ account, parameters }: Call, { books }: HandlerContext): readonly Customer[] {
  const code = codeOf(parameters);
  const fromMs = parameters.moment('fromDate')?.getTime() ?? Number.NEGATIVE_INFINITY;
  const toMs = parameters.moment('toDate')?.getTime() ?? Number.NEGATIVE_INFINITY;
  return books.customers.list(account.agentCode).filter((customer) => {
    const createdMs = Date.parse(customer.createdAt);
    return (code === '' || customer.code === code) && createdMs >= fromMs && createdMs <= toMs;
  });
}
