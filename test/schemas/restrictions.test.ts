import { describe, expect, it } from 'vitest';
import { acceptsMop, CURRENCIES, findRestriction, SERVER_MOPS } from '../../schemas/restrictions.ts';
import { OPERATIONS, type OperationName } from '../../schemas/operations.ts';
import { SPEC_OPERATIONS, SPEC_VALUES } from './spec-tables.ts';

const SERVER = 'Service cannot be used on this server.';
const CURRENCY = 'Service cannot be used with this Method of Payment or Currency.';

/** The service's restriction table, written out again on purpose: what is accepted, as `server currency method`. */
const ACCEPTED = new Set([
  ...['VISA', 'MC', 'AMX', 'DSC', 'VISA DEBIT', 'MC DEBIT'].map((mop) => `NA USD ${mop}`),
  ...['VISA', 'MC', 'AMX', 'VISA DEBIT'].map((mop) => `NA CAD ${mop}`),
  ...['VISA', 'MC', 'AMX', 'MAESTR', 'MAESTRO', 'VISA DEBIT'].map((mop) => `UK GBP ${mop}`),
  ...['VISA', 'MC', 'AMX', 'VISA DEBIT'].map((mop) => `UK EUR ${mop}`),
]);
const FORCED = ['processCreditCard', 'processCreditCardWithCustomerCode', 'createCustomerCodeAndProcessCreditCard'];
/** Bank operations, which only North American servers offer. */
const NA_ONLY = [
  'createCustomerCodeAndProcessACHEFT',
  'processACHEFTWithCustomerCode',
  'processACHEFT',
  'processACHEFTRefundWithTransactionId',
  'processACHEFTChargeBatch',
  'processACHEFTRefundBatch',
  'createACHEFTCustomerCode',
  'updateACHEFTCustomerCode',
];
const TRIED_CURRENCIES = [undefined, '', 'USD', 'CAD', 'GBP', 'EUR', 'JPY', 'AUD', 'CDN', 'CAN', 'usd', 'Gbp', 'USD '];
const TRIED_MOPS = [
  undefined,
  ...',VISA,MC,AMX,DSC,MAESTR,MAESTRO,VISA DEBIT,MC DEBIT'.split(','),
  ...'AMEX,VI,DISCOVER,JCB,MAESTRO DEBIT,AMX DEBIT,toString'.split(','),
  ...'visa,mc,amx,dsc,maestr,maestro,visa debit,mc debit,Visa,VISA , VISA,VISADEBIT'.split(','),
];

describe('findRestriction', () => {
  it.each(SPEC_OPERATIONS)('$name: every server, currency and method of payment', ({ name }) => {
    const operation = name as OperationName;
    for (const server of ['NA', 'UK'] as const) {
      for (const currency of TRIED_CURRENCIES) {
        for (const mop of TRIED_MOPS) {
          const expected = expect(
            findRestriction({ operation, server, currency, mop }),
            `${server} ${currency} ${mop}`,
          );
          const isChecked = (currency && mop) || FORCED.includes(name);
          if (server === 'UK' && NA_ONLY.includes(name)) expected.toBe(SERVER);
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

  it('accepts what the table says and nothing else', () => {
    const tried = (['NA', 'UK'] as const).flatMap((server) =>
      TRIED_CURRENCIES.flatMap((currency) => TRIED_MOPS.map((mop) => ({ server, currency, mop }))),
    );
    const accepted = tried.filter((call) => findRestriction({ operation: 'processCreditCard', ...call }) === undefined);
    expect(accepted.map(({ server, currency, mop }) => `${server} ${currency} ${mop}`)).toEqual([...ACCEPTED]);
    expect(ACCEPTED.size).toBe(6 + 4 + 6 + 4);
  });

  it('knows the operations for North America only that the spec names', () => {
    const named = SPEC_OPERATIONS.filter(({ servers }) => servers === 'North America only').map(({ name }) => name);
    expect(named.toSorted()).toEqual(NA_ONLY.toSorted());
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
  it('are those of the specification, each accepted in at least one currency of its server', () => {
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
