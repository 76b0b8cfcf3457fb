import { holdsCardNumber, maskNumber } from '../kernel/mask.ts';
import type { CustomerRecord } from './answers.ts';
import type { Elements } from './soap/parse-envelope.ts';
import { bytesOf, isElements, type ServiceAnswer, textOf } from './soap/read-answer.ts';

/**
 * Reads the records of CUSTOMERS; an empty element is an empty list. Returns undefined when the answer is no such list
 * or a record contradicts itself.
 */
export function readCustomers({ payload }: ServiceAnswer): CustomerRecord[] | undefined {
  if (Object.keys(payload).join() !== 'CUSTOMERS') return undefined;
  const list = payload.CUSTOMERS;
  if (list === null || list === '') return [];
  if (!isElements(list) || Object.keys(list).some((name) => name !== 'CST')) return undefined;
  const records = Array.isArray(list.CST) ? list.CST : [list.CST];
  const read = records.map((record) => (isElements(record) ? readRecord(record) : undefined));
  return read.every((record) => record !== undefined) ? read : undefined;
}

/** Returns the text of FILE with its numbers masked. */
export function readCsv(answer: ServiceAnswer): string | undefined {
  const text = decodeFile(answer);
  return text === undefined ? undefined : hideNumbers(text);
}

/** Decodes the CSV in FILE from base64 once; undefined when it is missing or leaves a remainder. */
export function decodeFile({ payload }: ServiceAnswer): string | undefined {
  if (Object.keys(payload).join() !== 'FILE') return undefined;
  return bytesOf(payload.FILE)?.toString('utf8');
}

/** Internal: an element is repeated, holds more than text or is far too long. */
class TwoThings extends Error {}

function readRecord(record: Elements): CustomerRecord | undefined {
  try {
    return {
      customerCode: take(record, 'CSTC'),
      firstName: takeWords(record, 'FN'),
      lastName: takeWords(record, 'LN'),
      companyName: takeWords(record, 'CO'),
      address: takeWords(record, 'ADD'),
      city: takeWords(record, 'CTY'),
      state: takeWords(record, 'ST'),
      country: takeWords(record, 'CNT'),
      zipCode: take(record, 'ZC'),
      phone: take(record, 'PH'),
      alternatePhone: take(record, 'MB'),
      fax: take(record, 'FX'),
      email: take(record, 'EM'),
      comment: takeWords(record, 'CM'),
      title: takeWords(record, 'TTL'),
      item1: takeWords(record, 'IT1'),
      item2: takeWords(record, 'IT2'),
      item3: takeWords(record, 'IT3'),
      item4: takeWords(record, 'IT4'),
      item5: takeWords(record, 'IT5'),
      item6: takeWords(record, 'IT6'),
      recurring: readSchedule(inside(record, 'RCR')),
      payment: readPayment(inside(record, 'AC1')),
    };
  } catch (error) {
    if (error instanceof TwoThings) return undefined;
    throw error;
  }
}

function readSchedule(schedule: Elements): CustomerRecord['recurring'] {
  return {
    active: take(schedule, 'ACT'),
    amount: take(schedule, 'AMT'),
    beginDate: take(schedule, 'BD'),
    endDate: take(schedule, 'ED'),
    scheduleType: take(schedule, 'SCHTYP'),
    scheduleDate: take(schedule, 'SCHD'),
  };
}

function readPayment(account: Elements): CustomerRecord['payment'] {
  if ('CC' in account) {
    const card = inside(account, 'CC');
    return {
      kind: 'card',
      creditCardCustomerName: takeWords(card, 'CSTN'),
      mop: take(card, 'MP'),
      creditCardNum: takeNumber(card, 'CCN'),
      creditCardExpiry: take(card, 'EXP'),
    };
  }
  if (!('ACH' in account)) return null;
  const bank = inside(account, 'ACH');
  return {
    kind: 'bank',
    accountCustomerName: takeWords(bank, 'CSTN'),
    accountNum: takeNumber(bank, 'ACN'),
    accountType: take(bank, 'ACTYP'),
  };
}

/** A hundred times the longest field that clients send. */
const LONGEST_TEXT = 10_000;

/** Returns a text that is or may be a code, such as a telephone or customer number, which may be long. */
function take(parent: Elements, name: string): string {
  return textIn(parent, name).replace(/\d{13,}/g, (run) => (mayBeNumber(run) ? hideNumbers(run) : run));
}

/** Returns a free text. Any long number in it may be that of an account. */
function takeWords(parent: Elements, name: string): string {
  return hideNumbers(textIn(parent, name));
}

function textIn(parent: Elements, name: string): string {
  const text = textOf(parent[name]);
  if (text === undefined || text.length > LONGEST_TEXT) throw new TwoThings();
  return text;
}

/** Returns whether digits of a code may be a card or account number. */
function mayBeNumber(run: string): boolean {
  return run.length > LONGEST_CARD || holdsCardNumber(run);
}

const LONGEST_CARD = 19;

/** Returns the number as the service masked it, or masks it here. */
function takeNumber(parent: Elements, name: string): string {
  const text = take(parent, name);
  return text.includes('*') ? hideNumbers(text) : maskNumber(text);
}

function inside(parent: Elements, name: string): Elements {
  const value = parent[name];
  if (value === undefined || value === null || value === '') return {};
  if (!isElements(value)) throw new TwoThings();
  return value;
}

/** Masking millions of digits one by one would take too long, and no number is longer than this. */
const LONGEST_NUMBER = 100;

/** Masks any run as long as the shortest card number, in case the service did not. */
function hideNumbers(text: string): string {
  return text.replace(/\d{13,}/g, (run) => (run.length > LONGEST_NUMBER ? '[removed]' : maskNumber(run)));
}
