import { maskNumber } from '../batch/mask-number.ts';
import { element, textElement } from '../xml/write-xml.ts';
import type { ContactField, Customer } from './customer.ts';

/** The fields that details and lists show, each with its element and its CSV title. */
const CONTACT: readonly (readonly [field: ContactField, element: string, title: string])[] = [
  ['firstName', 'FN', 'First Name'],
  ['lastName', 'LN', 'Last Name'],
  ['companyName', 'CO', 'Company'],
  ['address', 'ADD', 'Address'],
  ['city', 'CTY', 'City'],
  ['state', 'ST', 'State'],
  ['country', 'CNT', 'Country'],
  ['zipCode', 'ZC', 'Zip Code'],
  ['phone', 'PH', 'Phone'],
  ['alternatePhone', 'MB', 'Mobile'],
  ['fax', 'FX', 'Fax'],
  ['email', 'EM', 'Email'],
  ['comment', 'CM', 'Comment'],
];

/**
 * Fields that no source shows in an answer, shown only when they hold something. Assumption: title as `TTL`, and items
 * as in the reports.
 */
const EXTRAS: readonly (readonly [field: ContactField, element: string, title: string])[] = [
  ['title', 'TTL', 'Title'],
  ['item1', 'IT1', 'Item 1'],
  ['item2', 'IT2', 'Item 2'],
  ['item3', 'IT3', 'Item 3'],
  ['item4', 'IT4', 'Item 4'],
  ['item5', 'IT5', 'Item 5'],
  ['item6', 'IT6', 'Item 6'],
];

const SCHEDULE = [
  ['amount', 'AMT', 'Amount'],
  ['beginDate', 'BD', 'Begin Date'],
  ['endDate', 'ED', 'End Date'],
  ['scheduleType', 'SCHTYP', 'Schedule Type'],
  ['scheduleDate', 'SCHD', 'Schedule Date'],
] as const;

/**
 * Returns a record as details and lists show it, its number masked. Assumption: `ACT` says whether the schedule is
 * switched on, because no source shows where the service says so.
 * @param showsFullName whether the full name precedes its parts, as in version 1 of the service
 */
export function customerXml({ code, contact, schedule, ...payment }: Customer, showsFullName = false): string {
  return element(
    'CST',
    textElement('CSTC', code),
    showsFullName ? textElement('FLN', `${contact.firstName} ${contact.lastName}`.trim()) : '',
    ...CONTACT.map(([field, name]) => textElement(name, contact[field])),
    element(
      'RCR',
      ...SCHEDULE.map(([field, name]) => textElement(name, schedule[field])),
      textElement('ACT', String(schedule.recurring)),
    ),
    paymentXml(payment),
    element('AC2'),
    ...EXTRAS.flatMap(([field, name]) => (contact[field] === '' ? [] : [textElement(name, contact[field])])),
  );
}

function paymentXml(payment: Pick<Customer, 'kind' | 'holder' | 'number' | 'method' | 'expiry'>): string {
  const holder = textElement('CSTN', payment.holder);
  const number = maskNumber(payment.number);
  if (payment.kind === 'bank') {
    const account = [textElement('ACN', number), textElement('ACTYP', payment.method)];
    return `<AC1 type="ACH">${element('ACH', holder, ...account)}</AC1>`;
  }
  const card = [textElement('MP', payment.method), textElement('CCN', number), textElement('EXP', payment.expiry)];
  return `<AC1 type="CC">${element('CC', holder, ...card)}</AC1>`;
}

/** Returns records as a CSV file with a header. Assumption: columns and order, because no source shows a file. */
export function customersCsv(customers: readonly Customer[]): string {
  const titlesOf = (fields: readonly (readonly [string, string, string])[]) => fields.map(([, , title]) => title);
  const titles = ['Customer Code', ...titlesOf(CONTACT), 'Recurring', ...titlesOf(SCHEDULE)];
  const rows = customers.map(({ code, contact, schedule, method, number, expiry }) => [
    code,
    ...CONTACT.map(([field]) => contact[field]),
    String(schedule.recurring),
    ...SCHEDULE.map(([field]) => schedule[field]),
    method,
    maskNumber(number),
    expiry,
    ...EXTRAS.map(([field]) => contact[field]),
  ]);
  const lines = [[...titles, 'Method of Payment', 'Account', 'Expiry', ...titlesOf(EXTRAS)], ...rows];
  return lines.map((cells) => `${cells.map(quote).join(',')}\r\n`).join('');
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
