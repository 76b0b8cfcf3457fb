import { describe, expect, it } from 'vitest';
import type { StoredCustomer } from '../../../src/sandbox/books/book-entry.ts';
import { keepSchedules } from '../../../src/sandbox/books/schedule-book.ts';
import type { Customer } from '../../../src/sandbox/customers/customer.ts';
import { newCustomer } from '../../../src/sandbox/customers/new-customer.ts';

const LATE_MS = Date.parse('2026-07-01T00:00:00Z');

describe('keepSchedules', () => {
  it('lists what is due of all records, the earliest first, as many as are asked for', () => {
    const { book, keep } = makeBook();
    keep('monday', { scheduleDate: '2' });
    keep('tuesday', { scheduleDate: '3' });
    expect(days(book.listDue(LATE_MS, 3))).toEqual(['monday 06-15', 'tuesday 06-16', 'monday 06-22']);
    expect(days(book.listDue(LATE_MS, 99))).toHaveLength(6);
    expect(days(book.listDue(Date.parse('2026-06-15T00:00:00Z'), 99))).toEqual(['monday 06-15']);
    expect(book.listDue(Date.parse('2026-06-14T23:59:59Z'), 99)).toEqual([]);
  });

  it('knows whether anything is due, and when it is not any more', () => {
    const { book, keep } = makeBook();
    expect(book.hasDue(LATE_MS)).toBe(false);
    keep('monday', { scheduleDate: '2', endDate: '2026-06-16T00:00:00' });
    expect(book.hasDue(Date.parse('2026-06-14T23:59:59.999Z'))).toBe(false);
    expect(book.hasDue(Date.parse('2026-06-15T00:00:00Z'))).toBe(true);
    book.noteRun('monday', Date.parse('2026-06-15T00:00:00Z'));
    expect(book.hasDue(LATE_MS)).toBe(false);
  });

  it('makes up for nothing that was due before the record was changed', () => {
    const { book, keep } = makeBook();
    keep('monday', { scheduleDate: '2' }, '2026-06-22T00:00:00.000Z');
    expect(days(book.listDue(LATE_MS, 99))).toEqual(['monday 06-29']);
  });

  it('runs by the new schedule once a record is changed, and never what was run before', () => {
    const { book, keep } = makeBook();
    keep('monday', { scheduleDate: '2' });
    book.noteRun('monday', Date.parse('2026-06-22T00:00:00Z'));
    keep('monday', { scheduleDate: '2' }, '2026-06-16T00:00:00.000Z');
    expect(days(book.listDue(LATE_MS, 99))).toEqual(['monday 06-29']);
    keep('monday', { scheduleDate: '4' }, '2026-06-16T00:00:00.000Z');
    expect(days(book.listDue(LATE_MS, 99))).toEqual(['monday 06-24', 'monday 07-01']);
  });

  it('stops when a record is not recurring any more, or deleted, and goes on behind its last run', () => {
    const { book, keep } = makeBook();
    keep('monday', { scheduleDate: '2' });
    keep('monday', { recurring: false });
    expect(book.hasDue(LATE_MS)).toBe(false);
    keep('monday', { scheduleDate: '2' });
    book.noteRun('monday', Date.parse('2026-06-15T00:00:00Z'));
    book.forget('monday');
    expect(book.hasDue(LATE_MS)).toBe(false);
    expect(book.listDue(LATE_MS, 99)).toEqual([]);
    keep('monday', { scheduleDate: '2' });
    expect(days(book.listDue(LATE_MS, 99))).toEqual(['monday 06-22', 'monday 06-29']);
  });

  it('does not open records that are not recurring', () => {
    const { keep, opened } = makeBook();
    keep('once', { recurring: false });
    expect(opened).toEqual([]);
    keep('monday', {});
    expect(opened).toEqual(['monday']);
  });
});

function makeBook() {
  const records = new Map<string, Customer>();
  const opened: string[] = [];
  const book = keepSchedules(({ key }) => {
    opened.push(key);
    const record = records.get(key);
    if (!record) throw new Error('no such record');
    return record;
  });
  const keep = (key: string, change: Partial<Customer['schedule']>, from = '2026-06-01T00:00:00.000Z') => {
    const record = recordOf(key, change);
    records.set(key, record);
    const stored: StoredCustomer = { key, account: 'TEST88', payment: 'card', lastFour: '2220', serial: 0, sealed: '' };
    book.keep(record.schedule.recurring ? { ...stored, scheduledFrom: from } : stored);
  };
  return { book, keep, opened };
}

function recordOf(code: string, change: Partial<Customer['schedule']>): Customer {
  const payment = { holder: '', number: '4222222222222220', method: '', expiry: '' };
  const record = newCustomer({ code, kind: 'card', createdAt: '', ...payment, textOf: () => undefined });
  const schedule = {
    recurring: true,
    amount: '5.00',
    beginDate: '2026-06-15T00:00:00',
    endDate: '2026-12-31T00:00:00',
    scheduleType: 'Weekly',
    scheduleDate: '2',
    ...change,
  };
  return { ...record, schedule };
}

function days(runs: readonly { customerCode: string; dueMs: number }[]): string[] {
  return runs.map(({ customerCode, dueMs }) => `${customerCode} ${new Date(dueMs).toISOString().slice(5, 10)}`);
}
