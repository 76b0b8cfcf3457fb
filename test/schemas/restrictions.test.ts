import { describe, expect, it } from 'vitest';
import { acceptsMop, CURRENCIES, findRestriction, SERVER_MOPS } from '../../schemas/restrictions.ts';
import { OPERATIONS, type OperationName } from '../../schemas/operations.ts';
import { SPEC_OPERATIONS, SPEC_VALUES } from './spec-tables.ts';

const SERVER = 'Service cannot be used on this server.';
const CURRENCY = 'Service cannot be used with this Method of Payment or Currency.';

/** Written out again on purpose: what is accepted, as `server currency method`. */
const ACCEPTED = new Set([
  ...['VISA', 'MC', 'AMX', 'DSC', 'VISA DEBIT', 'MC DEBIT'].map((mop) => `NA USD ${mop}`),
  ...['VISA', 'MC', 'AMX', 'VISA DEBIT'].map((mop) => `NA CAD ${mop}`),
  ...['VISA', 'MC', 'AMX', 'MAESTR', 'MAESTRO', 'VISA DEBIT'].map((mop) => `UK GBP ${mop}`),
  ...['VISA', 'MC', 'AMX', 'VISA DEBIT'].map((mop) => `UK EUR ${mop}`),
]);
const FORCED = ['processCreditCard', 'processCreditCardWithCustomerCode', 'createCustomerCodeAndProcessCreditCard'];
const TRIED_CURRENCIES = [undefined, '', 'USD', 'CAD', 'GBP', 'EUR', 'JPY', 'CDN', 'usd'];
const TRIED_MOPS = [undefined, ...',VISA,MC,AMX,DSC,MAESTR,MAESTRO,VISA DEBIT,MC DEBIT,AMEX,visa,VISA '.split(',')];

describe('findRestriction', () => {
  it.each(SPEC_OPERATIONS)('$name: every server, currency and method of payment', ({ name, servers }) => {
    const operation = name as OperationName;
    for (const server of ['NA', 'UK'] as const) {
      for (const currency of TRIED_CURRENCIES) {
        for (const mop of TRIED_MOPS) {
          const expected = expect(
            findRestriction({ operation, server, currency, mop }),
            `${server} ${currency} ${mop}`,
          );
          const isChecked = (currency && mop) || FORCED.includes(name);
          if (server === 'UK' && servers === 'North America only') expected.toBe(SERVER);
          else if (isChecked && !ACCEPTED.has(`${server} ${currency} ${mop}`)) expected.toBe(CURRENCY);
          else expected.toBeUndefined();
        }
      }
    }
  });

  it.each([
    ['processCreditCard', 'NA', 'USD', 'DSC', undefined],
    ['processCreditCard', 'NA', 'CAD', 'DSC', CURRENCY],
    ['processCreditCard', 'UK', 'GBP', 'MAESTR', undefined],
    ['processCreditCard', 'UK', 'EUR', 'MAESTR', CURRENCY],
    ['processCreditCard', 'NA', undefined, undefined, CURRENCY],
    ['processCreditCardBatch', 'NA', undefined, undefined, undefined],
    ['processCreditCardBatch', 'NA', 'USD', undefined, undefined],
    ['processACHEFT', 'UK', 'GBP', 'VISA', SERVER],
    ['createACHEFTCustomerCode', 'UK', undefined, undefined, SERVER],
  ] as const)('%s on %s in %s with %s: %s', (operation, server, currency, mop, message) => {
    expect(findRestriction({ operation, server, currency, mop })).toBe(message);
  });

  it('tries all operations there are', () => {
    expect(SPEC_OPERATIONS.map(({ name }) => name).toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
  });
});

describe('acceptsMop', () => {
  it('compares exactly, in the right currency only', () => {
    expect(acceptsMop('NA', 'USD', 'DSC')).toBe(true);
    expect(acceptsMop('NA', 'USD', 'dsc')).toBe(false);
    expect(acceptsMop('NA', 'GBP', 'VISA')).toBe(false);
    expect(acceptsMop('NA', undefined, 'VISA')).toBe(false);
    expect(acceptsMop('NA', 'USD', undefined)).toBe(false);
  });

  it('is not fooled by a currency named like a part of every object', () => {
    expect(acceptsMop('NA', 'toString', 'VISA')).toBe(false);
  });
});

describe('SERVER_MOPS', () => {
  it('are those of spec 2.2, each accepted in at least one currency of its server', () => {
    expect(SERVER_MOPS).toEqual({ NA: SPEC_VALUES.mopNorthAmerica, UK: SPEC_VALUES.mopUnitedKingdom });
    for (const server of ['NA', 'UK'] as const) {
      for (const mop of SERVER_MOPS[server]) {
        expect(
          CURRENCIES.some((currency) => acceptsMop(server, currency, mop)),
          `${server} ${mop}`,
        ).toBe(true);
      }
    }
  });
});
