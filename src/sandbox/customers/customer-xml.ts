import { maskNumber } from '../batch/mask-number.ts';
import { element, textElement } from '../xml/write-xml.ts';
import type { Customer } from './customer.ts';

/**
 * Returns a record as details and lists show it: number masked, without title and items.
 * @param showsFullName whether the full name precedes its parts, as in version 1 of the service
 */
export function customerXml({ code, contact, schedule, ...payment }: Customer, showsFullName = false): string {
  return element(
    'CST',
    textElement('CSTC', code),
    showsFullName ? textElement('FLN', `${contact.firstName} ${contact.lastName}`.trim()) : '',
    textElement('FN', contact.firstName),
    textElement('LN', contact.lastName),
    textElement('CO', contact.companyName),
    textElement('ADD', contact.address),
    textElement('CTY', contact.city),
    textElement('ST', contact.state),
    textElement('CNT', contact.country),
    textElement('ZC', contact.zipCode),
    textElement('PH', contact.phone),
    textElement('MB', contact.alternatePhone),
    textElement('FX', contact.fax),
    textElement('EM', contact.email),
    textElement('CM', contact.comment),
    element(
      'RCR',
      textElement('AMT', schedule.amount),
      textElement('BD', schedule.beginDate),
      textElement('ED', schedule.endDate),
      textElement('SCHTYP', schedule.scheduleType),
      textElement('SCHD', schedule.scheduleDate),
    ),
    paymentXml(payment),
    element('AC2'),
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
