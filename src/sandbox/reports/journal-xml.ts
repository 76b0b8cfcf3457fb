import { NO_CUSTOMER_CODE } from '../../../schemas/reports.ts';
import { formatCents } from '../../kernel/money.ts';
import type { JournalEntry } from '../books/journal-entry.ts';
import { element, textElement as writeText } from '../xml/write-xml.ts';
import type { Face } from './face.ts';

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
