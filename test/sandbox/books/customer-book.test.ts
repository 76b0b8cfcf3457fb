import { describe, expect, it } from 'vitest';
import { newBookSecret } from '../../../src/sandbox/books/book-secret.ts';
import { keepCustomers } from '../../../src/sandbox/books/customer-book.ts';
import { newCustomer } from '../../../src/sandbox/customers/new-customer.ts';

const NUMBER = '4222222222222220';
const AT = '2026-06-15T10:00:00.000Z';

describe('keepCustomers', () => {
  it('gives back what was stored, to its own account only, the oldest first', () => {
    const book = keepCustomers(newBookSecret());
    for (const code of ['B', 'A']) book.keep(book.seal('TEST88', customerOf(code), AT));
    book.keep(book.seal('TEST88', { ...customerOf('B'), expiry: '01/31' }, AT));
    expect(book.find('TEST88', 'B')).toEqual({ ...customerOf('B'), expiry: '01/31' });
    expect(book.find('OTHER', 'B')).toBeUndefined();
    expect(book.find('TEST88', 'b')).toBeUndefined();
    expect(book.paymentOf('TEST88', 'B')).toBe('card');
    expect(book.paymentOf('OTHER', 'B')).toBeUndefined();
    expect(book.list('TEST88').map(({ code }) => code)).toEqual(['B', 'A']);
    expect(book.list('OTHER')).toEqual([]);
  });

  it('forgets a record, but never gives its code again', () => {
    const book = keepCustomers(newBookSecret());
    book.keep(book.seal('TEST88', customerOf(book.nextCode('TEST88')), AT));
    book.forget(book.keyOf('TEST88', 'A10000001'));
    expect(book.find('TEST88', 'A10000001')).toBeUndefined();
    expect(book.nextCode('TEST88')).toBe('A10000002');
  });

  it.each([
    ['A10000005', 'A10000006'],
    ['A99999999', 'A10000001'],
    ['TM1001', 'A10000001'],
    ['A1', 'A10000001'],
  ])('after the code %s the next is %s', (code, next) => {
    const book = keepCustomers(newBookSecret());
    book.keep(book.seal('TEST88', customerOf(code), AT));
    expect(book.nextCode('TEST88')).toBe(next);
  });

  it('writes down nothing but the last four of the number, and neither code nor name', () => {
    const book = keepCustomers(newBookSecret());
    const line = JSON.stringify(book.seal('TEST88', customerOf('TM1001'), AT));
    expect(line).toContain('"lastFour":"2220"');
    for (const secret of [NUMBER, 'TM1001', 'Byron']) expect(line).not.toContain(secret);
  });

  it('notes since when a record pays again and again, and nothing of one that does not', () => {
    const book = keepCustomers(newBookSecret());
    const record = customerOf('A');
    const recurring = { ...record, schedule: { ...record.schedule, recurring: true } };
    expect(book.seal('TEST88', recurring, AT).scheduledFrom).toBe(AT);
    expect(book.seal('TEST88', record, AT)).not.toHaveProperty('scheduledFrom');
  });

  it('opens a record under its own key only', () => {
    const book = keepCustomers(newBookSecret());
    const { key } = book.seal('TEST88', customerOf('A'), AT);
    book.keep({ ...book.seal('TEST88', customerOf('B'), AT), key });
    expect(() => book.find('TEST88', 'A')).toThrow('customer');
  });
});

function customerOf(code: string) {
  return newCustomer({
    code,
    kind: 'card',
    createdAt: AT,
    holder: 'Ada Byron',
    number: NUMBER,
    method: 'VISA',
    expiry: '12/30',
    textOf: () => 'Byron',
  });
}
