import type { FieldName } from '../../../schemas/fields.ts';
import type { Parameters } from '../soap/read-parameters.ts';
import { passesLuhn } from '../../kernel/luhn.ts';

/** How a stored customer pays. */
export type PaymentKind = 'card' | 'bank';

/** A stored customer record, opened from the books. It holds a whole number, so it lives only as long as a call. */
export type Customer = {
  readonly code: string;
  readonly kind: PaymentKind;
  /** ISO 8601 in UTC, by the sandbox's clock. */
  readonly createdAt: string;
  /** Fields that no payment depends on, by their names in the spec. Empty when never given. */
  readonly contact: Readonly<Record<ContactField, string>>;
  readonly schedule: Schedule;
  /** Name on the card or the bank account. */
  readonly holder: string;
  readonly number: string;
  /** Method of payment of a card, account type of a bank account. */
  readonly method: string;
  /** MM/YY; empty for a bank account. */
  readonly expiry: string;
};

/** The customer's recurring payment; the books run it (`../time/run-schedules.ts`). */
type Schedule = {
  readonly recurring: boolean;
  /** As given. */
  readonly amount: string;
  /** `2017-06-16T00:00:00` in UTC, like `endDate`. */
  readonly beginDate: string;
  readonly endDate: string;
  readonly scheduleType: string;
  readonly scheduleDate: string;
};

export const CONTACT_FIELDS = [
  'firstName',
  'lastName',
  'companyName',
  'address',
  'city',
  'state',
  'zipCode',
  'phone',
  'fax',
  'alternatePhone',
  'email',
  'comment',
  'title',
  'country',
  'item1',
  'item2',
  'item3',
  'item4',
  'item5',
  'item6',
] as const;

export type ContactField = (typeof CONTACT_FIELDS)[number];

/** Values of a new record, by their names in the spec. */
type NewCustomer = Pick<Customer, 'code' | 'kind' | 'createdAt' | 'holder' | 'number' | 'method' | 'expiry'> & {
  readonly textOf: (field: ContactField) => string | undefined;
};

/** Returns a record without a recurring payment, as a charge creates it. */
export function newCustomer({ textOf, ...known }: NewCustomer): Customer {
  const contact = Object.fromEntries(CONTACT_FIELDS.map((field) => [field, textOf(field) ?? '']));
  return { ...known, contact: contact as Customer['contact'], schedule: NO_SCHEDULE };
}

/** The date .NET uses when none is given. */
const NO_DAY = '0001-01-01T00:00:00';

const NO_SCHEDULE: Customer['schedule'] = {
  recurring: false,
  amount: '',
  beginDate: NO_DAY,
  endDate: NO_DAY,
  scheduleType: '',
  scheduleDate: '',
};

/** Names of the elements that say how a customer pays. */
type PaymentElements = Readonly<Record<'holder' | 'number' | 'method' | 'flag', FieldName>>;

const PAYMENT_ELEMENTS = {
  card: {
    holder: 'creditCardCustomerName',
    number: 'creditCardNum',
    method: 'mop',
    flag: 'updateCreditCardNum',
  },
  bank: {
    holder: 'accountCustomerName',
    number: 'accountNum',
    method: 'accountType',
    flag: 'updateAccountNum',
  },
} as const satisfies Record<PaymentKind, PaymentElements>;

/**
 * Returns a record changed by a call. Mostly an assumption, because clients always send everything. Omitted values
 * stay. Empty values are cleared, except for payment details, which stay.
 * @param old the record before; empty at creation
 * @param replacesNumber whether the number is taken from the call at all
 */
export function mergeCustomer(old: Customer, parameters: Parameters, replacesNumber: boolean): Customer {
  const elements = PAYMENT_ELEMENTS[old.kind];
  const paymentOf = (field: FieldName, before: string) => parameters.text(field)?.trim() || before;
  const contact = CONTACT_FIELDS.map((field) => [field, parameters.text(field) ?? old.contact[field]]);
  return {
    ...old,
    contact: Object.fromEntries(contact) as Customer['contact'],
    schedule: mergeSchedule(old.schedule, parameters),
    holder: paymentOf(elements.holder, old.holder),
    number: replacesNumber ? paymentOf(elements.number, old.number) : old.number,
    method: paymentOf(elements.method, old.method),
    expiry: old.kind === 'card' ? paymentOf('creditCardExpiry', old.expiry) : '',
  };
}

/** Returns whether an update asks to replace the number. */
export function wantsNewNumber(kind: PaymentKind, parameters: Parameters): boolean {
  return parameters.flag(PAYMENT_ELEMENTS[kind].flag) ?? false;
}

function mergeSchedule(old: Customer['schedule'], parameters: Parameters): Customer['schedule'] {
  return {
    recurring: parameters.flag('recurring') ?? old.recurring,
    amount: parameters.text('amount') ?? old.amount,
    beginDate: dayText(parameters.moment('beginDate')) ?? old.beginDate,
    endDate: dayText(parameters.moment('endDate')) ?? old.endDate,
    scheduleType: parameters.text('scheduleType') ?? old.scheduleType,
    scheduleDate: parameters.text('scheduleDate') ?? old.scheduleDate,
  };
}

function dayText(moment: Date | undefined): string | undefined {
  return moment?.toISOString().slice(0, 19);
}

/**
 * Checks a card to be stored, the number before the expiry.
 * @param expiry MM/YY; valid until the end of its month
 * @returns the fault, or undefined
 */
export function checkCard(number: string, expiry: string, now: Date): string | undefined {
  if (!/^\d{13,19}$/.test(number) || !passesLuhn(number)) return '0Error:Invalid credit card number';
  return checkExpiry(expiry, now);
}

/** @returns undefined for MM/YY that is not in the past */
export function checkExpiry(expiry: string, now: Date): string | undefined {
  const [, month, year] = /^(0[1-9]|1[0-2])\/(\d\d)$/.exec(expiry)?.map(Number) ?? [];
  if (month === undefined || year === undefined) return INVALID_EXPIRY;
  // `Date.UTC` counts months from 0, so this is the first day of the next month.
  return Date.UTC(2000 + year, month) > now.getTime() ? undefined : INVALID_EXPIRY;
}

const INVALID_EXPIRY = '0Error:Invalid expiry date';
