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
