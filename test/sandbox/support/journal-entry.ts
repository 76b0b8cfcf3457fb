import type { JournalEntry } from '../../../src/sandbox/books/journal-entry.ts';

/** Returns an approved card payment at 10:11:12, Vancouver summer time. */
export function journalEntry(change: Partial<JournalEntry> = {}): JournalEntry {
  return {
    at: '2017-06-15T17:11:12.345Z',
    account: 'TEST88',
    method: 'card',
    list: 'approved',
    transactionId: 'A9000001',
    invoice: 'INV-1',
    customerCode: '',
    firstName: 'Ada',
    lastName: 'Byron',
    payment: 'VISA',
    shownNumber: '4***********2220',
    expiry: '12/20',
    amountCents: 500,
    result: 'OK:678594:',
    comment: 'Gift',
    ...change,
  };
}

/** Returns an accepted bank payment. */
export function bankEntry(change: Partial<JournalEntry> = {}): JournalEntry {
  return journalEntry({
    method: 'bank',
    payment: 'CHECKING',
    shownNumber: '0*********************0001',
    expiry: '',
    result: 'OK:555555:',
    ...change,
  });
}
