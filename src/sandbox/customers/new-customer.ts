import { CONTACT_FIELDS, type ContactField, type Customer } from './customer.ts';

/** Values of a new record, by their names in the spec. */
export type NewCustomer = Pick<Customer, 'code' | 'kind' | 'createdAt' | 'holder' | 'number' | 'method' | 'expiry'> & {
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
