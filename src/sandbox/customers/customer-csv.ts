import { maskNumber } from '../batch/mask-number.ts';
import type { Customer } from './customer.ts';

/** Returns records as a CSV file with a header. Assumption: columns and order, because no source shows a file. */
export function customersCsv(customers: readonly Customer[]): string {
  const rows = customers.map((customer) => COLUMNS.map(([, textOf]) => quote(textOf(customer))));
  return [COLUMNS.map(([title]) => title), ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}

const COLUMNS: readonly (readonly [title: string, textOf: (customer: Customer) => string])[] = [
  ['Customer Code', ({ code }) => code],
  ['First Name', ({ contact }) => contact.firstName],
  ['Last Name', ({ contact }) => contact.lastName],
  ['Company', ({ contact }) => contact.companyName],
  ['Address', ({ contact }) => contact.address],
  ['City', ({ contact }) => contact.city],
  ['State', ({ contact }) => contact.state],
  ['Country', ({ contact }) => contact.country],
  ['Zip Code', ({ contact }) => contact.zipCode],
  ['Phone', ({ contact }) => contact.phone],
  ['Mobile', ({ contact }) => contact.alternatePhone],
  ['Fax', ({ contact }) => contact.fax],
  ['Email', ({ contact }) => contact.email],
  ['Comment', ({ contact }) => contact.comment],
  ['Recurring', ({ schedule }) => String(schedule.recurring)],
  ['Amount', ({ schedule }) => schedule.amount],
  ['Begin Date', ({ schedule }) => schedule.beginDate],
  ['End Date', ({ schedule }) => schedule.endDate],
  ['Schedule Type', ({ schedule }) => schedule.scheduleType],
  ['Schedule Date', ({ schedule }) => schedule.scheduleDate],
  ['Method of Payment', ({ method }) => method],
  ['Account', ({ number }) => maskNumber(number)],
  ['Expiry', ({ expiry }) => expiry],
];

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
