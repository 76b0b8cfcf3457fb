import { type Elements, isElements, type ServiceAnswer, textOf } from '../soap/read-answer.ts';
import { type LineField, type LineSource, type LineTexts, makeJournalLine } from './make-journal-line.ts';
import type { JournalLine } from './report-answers.ts';

type ReadXml = { kind: 'read'; entries: readonly JournalLine[] } | { kind: 'unreadable'; why: string };

/**
 * Reads JOURNALREPORT; an empty one has no lines. Unknown elements are ignored. A transaction without a required
 * element makes the whole report unreadable, as in a CSV.
 */
export function readJournalXml({ payload }: ServiceAnswer, source: LineSource): ReadXml {
  if (Object.keys(payload).join() !== 'JOURNALREPORT') return unreadable('the answer holds no journal');
  const list = payload.JOURNALREPORT;
  if (list === null || list === '') return { kind: 'read', entries: [] };
  if (!isElements(list) || Object.keys(list).some((name) => name !== 'TN')) {
    return unreadable('the journal holds something else than transactions');
  }
  const entries: JournalLine[] = [];
  for (const transaction of Array.isArray(list.TN) ? list.TN : [list.TN]) {
    const texts = readTransaction(transaction);
    if (typeof texts === 'string') return unreadable(texts);
    entries.push(makeJournalLine(texts, source));
  }
  return { kind: 'read', entries };
}

const NEEDED = ['TNID', 'INV', 'DTM', 'AMT', 'RST'] as const;

/** @returns the texts of a transaction, or why they cannot be read */
function readTransaction(transaction: unknown): LineTexts | string {
  if (!isElements(transaction)) return 'a transaction of the journal holds nothing';
  const missing = NEEDED.find((name) => !Object.hasOwn(transaction, name));
  if (missing) return `a transaction of the journal has no ${missing}`;
  const customer = inside(transaction.CST);
  const account = inside(transaction.CC ?? transaction.ACH);
  const texts: Record<LineField, string | undefined> = {
    transactionId: textOf(transaction.TNID),
    invoice: textOf(transaction.INV),
    at: textOf(transaction.DTM),
    customerCode: customer && textOf(customer.CSTC),
    paymentMethod: account && (textOf(account.MP ?? account.ACTYP) || textOf(transaction.TNTYP)),
    amount: textOf(transaction.AMT),
    result: textOf(transaction.RST),
    number: account && textOf(account.CCN ?? account.ACN),
    comment: textOf(transaction.CM),
  };
  return isWhole(texts) ? texts : 'a transaction of the journal says two things at once';
}

function isWhole(texts: Record<LineField, string | undefined>): texts is Record<LineField, string> {
  return Object.values(texts).every((text) => text !== undefined);
}

/** Returns an empty object when the block is absent, undefined when it is repeated. */
function inside(block: unknown): Elements | undefined {
  if (block === undefined || block === null || block === '') return {};
  return isElements(block) ? block : undefined;
}

function unreadable(why: string): ReadXml {
  return { kind: 'unreadable', why };
}
