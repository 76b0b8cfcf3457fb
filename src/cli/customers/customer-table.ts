import type { CustomerRecord } from '../../gateway/client-answers.ts';
import { textTable } from '../print/table.ts';

/** Returns stored customers as a table: who, how they pay, and what recurs. */
export function customerTable(customers: readonly CustomerRecord[]): string {
  if (customers.length === 0) return 'There is no such customer.';
  return textTable(TITLES, customers.map(describe));
}

const TITLES = ['Customer code', 'Name', 'Company', 'E-mail', 'City', 'Payment', 'Number', 'Expiry', 'Recurring'];

function describe(customer: CustomerRecord): string[] {
  const { customerCode, firstName, lastName, companyName, email, city, recurring, payment } = customer;
  return [
    customerCode,
    `${firstName} ${lastName}`.trim(),
    companyName,
    email,
    city,
    ...describePayment(payment),
    [recurring.amount, recurring.scheduleType].filter((text) => text !== '').join(' '),
  ].map(toOneLine);
}

function describePayment(payment: CustomerRecord['payment']): [method: string, number: string, expiry: string] {
  if (payment === null) return ['', '', ''];
  if (payment.kind === 'card') return [payment.mop, payment.creditCardNum, payment.creditCardExpiry];
  return [payment.accountType, payment.accountNum, ''];
}

/** Removes line breaks, which would break the table. */
function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
