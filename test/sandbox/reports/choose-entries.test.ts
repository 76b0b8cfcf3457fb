import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/sandbox/books/journal-entry.ts';
import { chooseEntries } from '../../../src/sandbox/reports/choose-entries.ts';
import { faceOf } from '../../../src/sandbox/reports/face.ts';
import { makeCall } from '../support/make-context.ts';
import { bankEntry, journalEntry } from '../support/journal-entry.ts';

const NOW = new Date('2017-06-15T20:00:00Z');
const DAY = { method: 'card', list: 'approved', period: 'day' } as const;
const RANGE = { ...DAY, period: 'range' } as const;

/** Invoices are numbered in journal order. Midnight is 7:00 UTC in Vancouver and 23:00 UTC in London. */
const JOURNAL: readonly JournalEntry[] = [
  '2017-06-14T22:59:59Z',
  '2017-06-14T23:00:00Z',
  '2017-06-15T06:59:59.999Z',
  '2017-06-15T07:00:00Z',
  '2017-06-15T19:00:00Z',
].map((at, index) => journalEntry({ at, invoice: String(index) }));

describe('chooseEntries', () => {
  it.each([
    ['NA', '2017-06-15T12:00:00-07:00', '34'],
    ['NA', '2017-06-15T07:00:00Z', '34'],
    ['NA', '2017-06-15T06:59:59Z', '012'],
    // A midnight begins the day as written, because known clients ask for today by their own clocks.
    ['NA', '2017-06-15T00:00:00+00:00', '234'],
    ['NA', '2017-06-15T00:00:00.000Z', '234'],
    ['NA', '2017-06-15T00:00:00-07:00', '34'],
    ['UK', '2017-06-15T00:00:00+00:00', '234'],
    ['UK', '2017-06-15T00:00:00+01:00', '1234'],
    ['UK', '2017-06-14T12:00:00Z', '0'],
    // Without an offset it is server time.
    ['NA', '2017-06-15T00:00:00', '34'],
    ['NA', '2017-06-15', '34'],
    ['UK', '2017-06-15', '1234'],
    ['NA', '2017-06-13T12:00:00Z', ''],
  ] as const)('on %s, the day of %s has the lines %j', (server, date, lines) => {
    expect(invoicesOf(DAY, { date }, server)).toBe(lines);
  });

  it.each([
    ['2017-06-14T23:00:00Z', '2017-06-15T07:00:00Z', {}, '123'],
    ['2017-06-14T23:00:01Z', '2017-06-15T06:59:58Z', {}, ''],
    // Lines show whole seconds, so a range includes all of its last second.
    ['2017-06-14T23:00:01Z', '2017-06-15T06:59:59Z', {}, '2'],
    ['2017-06-15T00:00:00-07:00', '2017-06-15T23:59:59-07:00', {}, '34'],
    ['2017-06-15T00:00:00', '2017-06-15T23:59:59', {}, '34'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { startIndex: '1', endIndex: '2' }, '12'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { startIndex: '3' }, '34'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { endIndex: '0' }, '0'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { startIndex: '', endIndex: '' }, '01234'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { startIndex: '0', endIndex: '199' }, '01234'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { startIndex: 'x', endIndex: '-1' }, '01234'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { startIndex: '9' }, ''],
  ])('from %s to %s with %j it has the lines %j', (fromDate, toDate, indexes, lines) => {
    expect(invoicesOf(RANGE, { fromDate, toDate, ...indexes }, 'NA')).toBe(lines);
  });

  it('takes a date that is left out as .NET does', () => {
    expect(invoicesOf(DAY, {}, 'NA')).toBe('');
    expect(invoicesOf(RANGE, { toDate: '2017-06-16T00:00:00Z' }, 'NA')).toBe('01234');
    expect(invoicesOf(RANGE, { fromDate: '2017-06-14T00:00:00Z' }, 'NA')).toBe('');
  });

  it('takes only payments of its kind and its list', () => {
    const journal = [
      bankEntry({ invoice: 'bank' }),
      bankEntry({ invoice: 'returned', list: 'returned' }),
      journalEntry({ invoice: 'rejected', list: 'rejected' }),
    ];
    const date = '2017-06-15T12:00:00Z';
    expect(invoicesOf(DAY, { date }, 'NA', journal)).toBe('');
    expect(invoicesOf({ ...DAY, list: 'rejected' }, { date }, 'NA', journal)).toBe('rejected');
    expect(invoicesOf({ ...DAY, method: 'bank' }, { date }, 'NA', journal)).toBe('bank');
    expect(invoicesOf({ ...DAY, method: 'bank', list: 'returned' }, { date }, 'NA', journal)).toBe('returned');
  });

  it.each([
    [DAY, { date: '2017-06-15T12:00:00Z' }, false],
    [DAY, { date: '2017-06-15T00:00:00Z' }, false],
    [DAY, { date: '2017-06-16T06:59:59Z' }, false],
    [DAY, { date: '2017-06-16T07:00:00Z' }, true],
    [DAY, { date: '2050-01-01T12:00:00Z' }, true],
    [DAY, {}, false],
    [RANGE, { fromDate: '2017-06-15T20:00:00Z', toDate: '2050-01-01T12:00:00Z' }, false],
    [RANGE, { fromDate: '2017-06-15T20:00:01Z', toDate: '2050-01-01T12:00:00Z' }, true],
  ] as const)('knows whether all of it is still to come: %j %j', (row, fields, isFuture) => {
    expect(choose(row, fields, 'NA', []).isFuture).toBe(isFuture);
  });
});

type Row = Parameters<typeof chooseEntries>[0];

function choose(row: Row, fields: Record<string, string>, server: 'NA' | 'UK', journal: readonly JournalEntry[]) {
  const operation = row.period === 'day' ? 'getCreditCardApprovedSpecificDateCSV' : 'getCreditCardApprovedDateRangeCSV';
  const { parameters } = makeCall(operation, fields);
  return chooseEntries(row, journal, { parameters, face: faceOf({ server }), now: NOW });
}

function invoicesOf(row: Row, fields: Record<string, string>, server: 'NA' | 'UK', journal = JOURNAL): string {
  return choose(row, fields, server, journal)
    .entries.map(({ invoice }) => invoice)
    .join('');
}
