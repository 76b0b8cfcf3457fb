/** Which way of paying is stored. */
export type PaymentKind = 'card' | 'bank';

/** A stored customer record as it is opened from the books. Holds a whole number, so it lives only as long as a call. */
export type Customer = {
  readonly code: string;
  readonly kind: PaymentKind;
  /** ISO 8601 in UTC, by the clock of the sandbox. */
  readonly createdAt: string;
  /** What no payment depends on, by the names of the spec. What was never given is empty. */
  readonly contact: Readonly<Record<ContactField, string>>;
  readonly schedule: Schedule;
  /** Name as it stands on the card or the bank account. */
  readonly holder: string;
  readonly number: string;
  /** Method of payment of a card, account type of a bank account. */
  readonly method: string;
  /** MM/YY; empty for a bank account. */
  readonly expiry: string;
};

/** What the customer wants to pay again and again; the books run it (`../time/run-schedules.ts`). */
type Schedule = {
  readonly recurring: boolean;
  /** As it was given. */
  readonly amount: string;
  /** `2017-06-16T00:00:00`, in UTC, as is `endDate`. */
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
