import { describe, expect, it } from 'vitest';
import type { StoredCustomer } from '../../../src/sandbox/books/book-row.ts';
import { dueMoments, type DueSchedule, keepSchedules } from '../../../src/sandbox/books/schedule-book.ts';
import type { Customer } from '../../../src/sandbox/customers/customer.ts';
import { sampleCustomer } from '../support/make-context.ts';

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
  const schedule = {
    recurring: true,
    amount: '5.00',
    beginDate: '2026-06-15T00:00:00',
    endDate: '2026-12-31T00:00:00',
    scheduleType: 'Weekly',
    scheduleDate: '2',
    ...change,
  };
  return { ...sampleCustomer({ code }), schedule };
}

function days(runs: readonly { customerCode: string; dueMs: number }[]): string[] {
  return runs.map(({ customerCode, dueMs }) => `${customerCode} ${new Date(dueMs).toISOString().slice(5, 10)}`);
}

const WEEKLY = { scheduleType: 'Weekly', scheduleDate: '2' };
const MONTHLY = { scheduleType: 'Monthly', scheduleDate: '31' };
const QUARTERLY = { scheduleType: 'Quarterly', scheduleDate: '' };
const ANNUALLY = { scheduleType: 'Annually', scheduleDate: '' };

describe('dueMoments', () => {
  // June 15, 2026 is a Monday.
  it.each([
    ['1 is Sunday', { ...WEEKLY, scheduleDate: '1' }, '2026-06-15', '2026-06-30', '06-21 06-28'],
    ['2 is Monday, the day of the begin', WEEKLY, '2026-06-15', '2026-06-30', '06-15 06-22 06-29'],
    ['7 is Saturday', { ...WEEKLY, scheduleDate: '7' }, '2026-06-15', '2026-06-30', '06-20 06-27'],
    ['the end is included', WEEKLY, '2026-06-15', '2026-06-22', '06-15 06-22'],
    ['the day before the end is not enough', WEEKLY, '2026-06-15', '2026-06-21', '06-15'],
    ['it ends before it begins', WEEKLY, '2026-06-15', '2026-06-14', ''],
    ['over the end of a year', WEEKLY, '2026-12-25', '2027-01-10', '12-28 01-04'],
  ])('weekly: %s', (_, rule, begin, end, days) => {
    expect(daysOf(rule, begin, end)).toBe(days);
  });

  it.each([
    ['on the day of the begin', '15', '2026-06-15', '2026-08-31', '06-15 07-15 08-15'],
    ['on a day before that of the begin', '1', '2026-06-15', '2026-08-31', '07-01 08-01'],
    ['on a day behind that of the begin', '20', '2026-06-15', '2026-08-31', '06-20 07-20 08-20'],
    ['31 in months that lack it', '31', '2026-01-01', '2026-06-30', '01-31 02-28 03-31 04-30 05-31 06-30'],
    ['30 in February', '30', '2027-01-01', '2027-03-31', '01-30 02-28 03-30'],
    ['29 in February', '29', '2027-01-01', '2027-03-31', '01-29 02-28 03-29'],
    ['29 in February of a leap year', '29', '2028-01-01', '2028-03-31', '01-29 02-29 03-29'],
    ['31 in February of a leap year', '31', '2028-02-01', '2028-03-01', '02-29'],
    ['31 in February of 2100, which has no leap day', '31', '2100-02-01', '2100-03-01', '02-28'],
    ['over the end of a year', '5', '2026-12-01', '2027-01-31', '12-05 01-05'],
    ['the end is included', '15', '2026-06-01', '2026-07-15', '06-15 07-15'],
  ])('monthly: %s', (_, scheduleDate, begin, end, days) => {
    expect(daysOf({ ...MONTHLY, scheduleDate }, begin, end)).toBe(days);
  });

  it.each([
    ['counts from the begin', QUARTERLY, '2026-06-15', '2027-03-31', '06-15 09-15 12-15 03-15'],
    ['takes the last day of months that lack it', QUARTERLY, '2026-01-31', '2026-12-31', '01-31 04-30 07-31 10-31'],
    ['comes back from February', QUARTERLY, '2026-11-30', '2027-06-30', '11-30 02-28 05-30'],
    ['does not mind a day', { ...QUARTERLY, scheduleDate: '3' }, '2026-06-15', '2026-10-01', '06-15 09-15'],
  ])('quarterly: %s', (_, rule, begin, end, days) => {
    expect(daysOf(rule, begin, end)).toBe(days);
  });

  it('annually: counts from the begin, and a leap day is the last of February', () => {
    const moments = [...dueMoments(scheduleOf(ANNUALLY, '2028-02-29', '2032-03-01'), 0, Infinity)];
    expect(moments.map((ms) => new Date(ms).toISOString().slice(0, 10))).toEqual([
      '2028-02-29',
      '2029-02-28',
      '2030-02-28',
      '2031-02-28',
      '2032-02-29',
    ]);
  });

  it('is due at the hour of the begin, and on the whole last day', () => {
    const schedule = { recurring: true, ...WEEKLY, beginDate: '2026-06-15T10:30:00', endDate: '2026-06-22T00:00:00' };
    expect([...dueMoments(schedule, 0, Infinity)].map((ms) => new Date(ms).toISOString())).toEqual([
      '2026-06-15T10:30:00.000Z',
      '2026-06-22T10:30:00.000Z',
    ]);
  });

  it.each([
    ['2026-06-15T00:00:00.000Z', '2026-06-29T00:00:00.000Z', '06-22 06-29'],
    ['2026-06-14T23:59:59.999Z', '2026-06-28T23:59:59.999Z', '06-15 06-22'],
    ['2026-06-16T00:00:00.000Z', '2026-06-16T12:00:00.000Z', ''],
    ['2026-06-29T00:00:00.000Z', '2026-06-15T00:00:00.000Z', ''],
  ])('leaves out %s itself and takes %s in', (after, until, days) => {
    const moments = dueMoments(scheduleOf(WEEKLY, '2026-06-01', '2026-12-31'), Date.parse(after), Date.parse(until));
    expect(toDays([...moments])).toBe(days);
  });

  it.each([WEEKLY, MONTHLY, QUARTERLY, ANNUALLY, { ...MONTHLY, scheduleDate: '1' }])(
    'finds the same moments wherever it starts: %o',
    (rule) => {
      const schedule = scheduleOf(rule, '2027-11-30', '2033-01-01');
      const all = [...dueMoments(schedule, 0, Infinity)];
      expect(all.length).toBeGreaterThan(5);
      for (const [index, ms] of all.entries()) {
        expect([...dueMoments(schedule, ms, Infinity)]).toEqual(all.slice(index + 1));
        expect([...dueMoments(schedule, ms - 1, ms)]).toEqual([ms]);
      }
    },
  );

  it.each<[string, Partial<DueSchedule>]>([
    ['not recurring', { recurring: false }],
    ['of no type', { scheduleType: '' }],
    ['of an unknown type', { scheduleType: 'Daily' }],
    ['weekly on no day', { scheduleDate: '' }],
    ['weekly on day 0', { scheduleDate: '0' }],
    ['weekly on day 8', { scheduleDate: '8' }],
    ['weekly on a word', { scheduleDate: 'Monday' }],
    ['monthly on day 0', { scheduleType: 'Monthly', scheduleDate: '0' }],
    ['monthly on day 32', { scheduleType: 'Monthly', scheduleDate: '32' }],
    ['monthly on a fraction', { scheduleType: 'Monthly', scheduleDate: '1.5' }],
    ['without a begin', { beginDate: '' }],
    ['without an end', { endDate: '' }],
    ['of the first day of all, which .NET takes for a missing one', { endDate: '0001-01-01T00:00:00' }],
  ])('never comes when it is %s', (_, change) => {
    const schedule = { ...scheduleOf(WEEKLY, '2026-06-15', '2026-06-30'), ...change };
    expect([...dueMoments(schedule, 0, Infinity)]).toEqual([]);
  });

  it('bears other capitals and blanks', () => {
    expect(daysOf({ scheduleType: ' weekly', scheduleDate: ' 2 ' }, '2026-06-15', '2026-06-16')).toBe('06-15');
  });

  it('begins in the first year of all, and ends in the last, without walking there', () => {
    const schedule = scheduleOf({ ...MONTHLY, scheduleDate: '1' }, '0001-01-01', '9999-12-31');
    expect(new Date(dueMoments(schedule, Number.NEGATIVE_INFINITY, Infinity).next().value ?? 0).toISOString()).toBe(
      '0001-01-01T00:00:00.000Z',
    );
    const late = [...dueMoments(schedule, Date.parse('9999-10-15T00:00:00Z'), Infinity)];
    expect(late.map((ms) => new Date(ms).toISOString().slice(0, 10))).toEqual(['9999-11-01', '9999-12-01']);
  });
});

type Rule = Pick<DueSchedule, 'scheduleType' | 'scheduleDate'>;

function scheduleOf(rule: Rule, begin: string, end: string): DueSchedule {
  return { recurring: true, ...rule, beginDate: `${begin}T00:00:00`, endDate: `${end}T00:00:00` };
}

function daysOf(rule: Rule, begin: string, end: string): string {
  return toDays([...dueMoments(scheduleOf(rule, begin, end), 0, Infinity)]);
}

function toDays(moments: readonly number[]): string {
  return moments.map((ms) => new Date(ms).toISOString().slice(5, 10)).join(' ');
}
