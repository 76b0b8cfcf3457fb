import { NO_CUSTOMER_CODE, type ReportRow } from '../../../schemas/reports.ts';
import { formatCents } from '../../kernel/money.ts';
import type { JournalEntry } from '../books/book-row.ts';
import type { Face } from './choose-entries.ts';
import { element, textElement as writeText } from '../xml/write-xml.ts';

/**
 * Returns the report of a day. The odd spaces in the titles are the service's. Assumption: the bank titles from the
 * fifth on; only the first four are recorded.
 */
export function dayCsv(method: ReportRow['method'], entries: readonly JournalEntry[], face: Face): string {
  const rows = entries.map((entry) => dayCells(entry, face).join(','));
  return [DAY_TITLES[method], ...rows].map((row) => `${row}\r\n`).join('');
}

const DAY_TITLES = {
  card: 'Invoice,Date,Agent,Customer Code,CCType,First Name, Last Name, Card Number, Expire, Total, Result, Detail,Transaction ID',
  bank: 'Invoice,Date,Agent,Customer Code,Account Type,First Name, Last Name, Account Number, Total, Result, Detail,Transaction ID',
} as const satisfies Record<ReportRow['method'], string>;

function dayCells(entry: JournalEntry, face: Face): string[] {
  return [
    csvCell(entry.invoice),
    face.writeTime(new Date(entry.at)),
    csvCell(entry.account),
    quoteCell(entry.customerCode || NO_CUSTOMER_CODE),
    csvCell(payersWords(entry.payment)),
    quoteCell(payersWords(entry.firstName)),
    quoteCell(payersWords(entry.lastName)),
    csvCell(guardNumber(entry.shownNumber)),
    ...(entry.method === 'card' ? [csvCell(guardNumber(entry.expiry))] : []),
    formatCents(entry.amountCents),
    csvCell(entry.result),
    ' ',
    entry.transactionId,
  ];
}

/** Returns the report of a time range. Assumption: the order of the titles from the fourth on. */
export function rangeCsv(entries: readonly JournalEntry[], face: Face): string {
  const titles = face.hasBankReference ? [...RANGE_TITLES, 'ACH Ref.'] : RANGE_TITLES;
  const rows = entries.map((entry) => rangeCells(entry, face));
  return [titles, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}

const RANGE_TITLES = [
  'Transaction ID',
  'Invoice Number',
  'Date Time',
  'Client Code',
  'Customer Code',
  'Method of Payment',
  'Amount',
  'Result',
  'Comment',
  'Journal Id',
] as const;

function rangeCells(entry: JournalEntry, face: Face): string[] {
  const cells = [
    entry.transactionId,
    csvCell(entry.invoice),
    face.writeTime(new Date(entry.at)),
    csvCell(entry.account),
    quoteCell(entry.customerCode || NO_CUSTOMER_CODE),
    csvCell(entry.method === 'bank' ? 'ACHEFT' : payersWords(entry.payment)),
    formatCents(entry.amountCents),
    csvCell(entry.result),
    quoteCell(payersWords(entry.comment)),
    journalIdOf(entry),
  ];
  return face.hasBankReference ? [...cells, ''] : cells;
}

/** Returns the totals of each day. Assumption: all of it. */
export function sumCsv(entries: readonly JournalEntry[], face: Face): string {
  const days = new Map<string, { date: string; payments: number; cents: number }>();
  for (const { at, amountCents } of entries) {
    const day = face.dayOf(new Date(at));
    const sum = days.get(day) ?? { date: face.writeTime(new Date(at)).slice(0, 10), payments: 0, cents: 0 };
    sum.payments += 1;
    sum.cents += amountCents;
    days.set(day, sum);
  }
  const rows = [...days.values()].map(({ date, payments, cents }) => `${date},${payments},${formatCents(cents)}`);
  return ['Date,Transactions,Amount', ...rows].map((row) => `${row}\r\n`).join('');
}

/** Returns a number that no other payment has, because a known client stores lines by it. */
function journalIdOf({ transactionId }: JournalEntry): string {
  return transactionId === '' ? '' : String(BigInt.asUintN(32, BigInt(`0x${transactionId}`)));
}

/** Returns a cell, quoted if needed. Line breaks become spaces, because clients split there even in quotes. */
export function csvCell(text: string): string {
  const line = onOneLine(text);
  return /[",]/.test(line) ? quoteCell(line) : line;
}

/** Returns a cell that is always quoted, like the names in the recorded reports. */
export function quoteCell(text: string): string {
  return `"${onOneLine(text).replaceAll('"', '""')}"`;
}

/** Puts an apostrophe before a number, as the service does; a spreadsheet then takes it as text. */
export function guardNumber(text: string): string {
  return text === '' ? '' : `'${text}`;
}

/**
 * Makes a payer's words safe for a spreadsheet. Text that would run as a formula gets an apostrophe. A backslash, which
 * PHP takes for the end of a quote, becomes a slash. Values used for lookup, such as the invoice, stay as given.
 */
export function payersWords(text: string): string {
  const plain = text.replaceAll('\\', '/');
  return /^\s*[=+\-@]/.test(plain) ? `'${plain}` : plain;
}

function onOneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
}

/** Returns the report of a day as XML. Assumptions: the time format, and the items, which the books do not keep. */
export function journalXml(entries: readonly JournalEntry[], face: Face): string {
  return element('JOURNALREPORT', ...entries.map((entry) => transactionXml(entry, face)));
}

const ITEMS = ['IT1', 'IT2', 'IT3', 'IT4', 'IT5', 'IT6'] as const;

function transactionXml(entry: JournalEntry, face: Face): string {
  return element(
    'TN',
    textElement('TNTYP', entry.method === 'card' ? 'CreditCard' : 'ACHEFT'),
    textElement('TNID', entry.transactionId),
    textElement('AGT', entry.account),
    customerXml(entry),
    paymentXml(entry),
    textElement('INV', entry.invoice),
    textElement('DTM', face.writeXmlTime(new Date(entry.at))),
    ...ITEMS.map((name) => textElement(name, '')),
    textElement('AMT', formatCents(entry.amountCents)),
    textElement('RST', entry.result),
    textElement('CM', entry.comment),
  );
}

function customerXml({ customerCode, firstName, lastName }: JournalEntry): string {
  const code = textElement('CSTC', customerCode || NO_CUSTOMER_CODE);
  return element('CST', code, textElement('FN', firstName), textElement('LN', lastName));
}

function paymentXml({ method, firstName, lastName, payment, shownNumber, expiry }: JournalEntry): string {
  const holder = textElement('CSTN', `${firstName} ${lastName}`.trim());
  if (method === 'bank') {
    return element('ACH', holder, textElement('ACN', shownNumber), textElement('ACTYP', payment));
  }
  return element('CC', holder, textElement('MP', payment), textElement('CCN', shownNumber), textElement('EXP', expiry));
}

/** Replaces characters that XML cannot carry, not even escaped; a batch row may hold them. */
function textElement(name: string, text: string): string {
  return writeText(name, text.replace(NOT_IN_XML, ' '));
}

const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
