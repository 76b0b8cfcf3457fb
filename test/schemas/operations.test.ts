import { describe, expect, it } from 'vitest';
import {
  FOLDER_OPERATIONS,
  type OperationName,
  OPERATIONS,
  SERVER_URLS,
  SERVICE_NAMESPACE,
} from '../../schemas/operations.ts';
import {
  acceptsMop,
  CURRENCIES,
  extraMops,
  findRestriction,
  sayRestriction,
  sentMop,
  SERVER_MOPS,
} from '../../schemas/restrictions.ts';
import { SPEC_OPERATIONS, SPEC_VALUES } from './spec-tables.ts';

type Row = (typeof OPERATIONS)[keyof typeof OPERATIONS];
const ROWS = Object.entries(OPERATIONS) as [string, Row][];

describe('OPERATIONS', () => {
  it('holds the 20 operations of the spec and no other', () => {
    expect(SPEC_OPERATIONS).toHaveLength(20);
    expect(ROWS.map(([name]) => name)).toEqual(SPEC_OPERATIONS.map(({ name }) => name));
  });

  it.each(SPEC_OPERATIONS)('$name takes the parameters of the spec', ({ name, ...spec }) => {
    const row = rowOf(name);
    expect(row.service).toBe(spec.service);
    expect([...row.servers]).toEqual(spec.servers === 'both' ? ['NA', 'UK'] : ['NA']);
    expect([...row.required].toSorted()).toEqual(spec.yes.toSorted());
    expect([...row.optional].toSorted()).toEqual(spec.opt.toSorted());
    expect([...row.unstated].toSorted()).toEqual(spec.unstated.toSorted());
  });

  it.each(ROWS)('%s writes each parameter once, and the IP address outside the wire order', (_name, row) => {
    const parameters = [...row.required, ...row.optional, ...row.unstated] as string[];
    expect(new Set(parameters).size).toBe(parameters.length);
    expect(parameters).toContain('customerIPAddress');
    const elements = parameters.filter((name) => name !== 'customerIPAddress');
    expect([...row.wire].toSorted()).toEqual(elements.toSorted());
    expect(new Set<string>(row.wire).size).toBe(row.wire.length);
  });

  it('offers bank account operations in North America only, and no other operation', () => {
    const narrow = ROWS.filter(([, row]) => row.servers.length === 1).map(([name]) => name);
    const bank = ROWS.filter(([name]) => name.includes('ACHEFT')).map(([name]) => name);
    expect(narrow).toEqual(bank);
    expect(bank).toHaveLength(8);
  });

  it('says what may be repeated: questions only', () => {
    const names = (effect: string) => ROWS.filter(([, row]) => row.effect === effect).map(([name]) => name);
    expect(names('read').every((name) => name.startsWith('get'))).toBe(true);
    expect(names('read')).toHaveLength(4);
    expect(names('write').every((name) => /^(?:create|update|delete)\w*CustomerCode$/.test(name))).toBe(true);
    expect(names('write')).toHaveLength(5);
    expect(names('charge').every((name) => /^(?:process|createCustomerCodeAndProcess)/.test(name))).toBe(true);
    expect(names('charge')).toHaveLength(11);
  });

  it('demands currency and method of payment for the card charge that has a parameter for it', () => {
    const forced = ROWS.filter(([, row]) => row.checksCurrency).map(([name]) => name);
    expect(forced).toEqual(['processCreditCard']);
  });
});

describe('FOLDER_OPERATIONS', () => {
  it('names the three batch operations, refunds with negative amounts', () => {
    expect(FOLDER_OPERATIONS).toEqual({
      card: { operation: 'processCreditCardBatch', sign: 1 },
      'ach-charge': { operation: 'processACHEFTChargeBatch', sign: 1 },
      'ach-refund': { operation: 'processACHEFTRefundBatch', sign: -1 },
    });
  });

  it('covers every operation that takes a batch file', () => {
    const takers = ROWS.filter(([, row]) => (row.wire as readonly string[]).includes('batchFile'));
    const named = Object.values(FOLDER_OPERATIONS).map(({ operation }) => operation as string);
    expect(takers.map(([name]) => name).toSorted()).toEqual(named.toSorted());
  });
});

describe('SERVER_URLS', () => {
  it('are https, one per server', () => {
    expect(Object.keys(SERVER_URLS)).toEqual(['NA', 'UK']);
    for (const url of Object.values(SERVER_URLS)) expect(new URL(url).protocol).toBe('https:');
    expect(SERVER_URLS.NA).not.toBe(SERVER_URLS.UK);
  });

  it('share one namespace, that of the North American host', () => {
    expect(SERVICE_NAMESPACE).toBe(`${SERVER_URLS.NA}/NetGate/`);
  });
});

function rowOf(name: string): Row {
  const row = OPERATIONS[name as keyof typeof OPERATIONS];
  expect(row, name).toBeDefined();
  return row;
}

const NOT_ON_SERVER = 'Service cannot be used on this server.';
const NOT_WITH_CURRENCY = 'Service cannot be used with this Method of Payment or Currency.';

/** The service's restriction table, written out again on purpose: what is accepted, as `server currency method`. */
const ACCEPTED = new Set([
  ...['VISA', 'MC', 'AMX', 'DSC', 'VISA DEBIT', 'MC DEBIT'].map((mop) => `NA USD ${mop}`),
  ...['VISA', 'MC', 'AMX', 'VISA DEBIT'].map((mop) => `NA CAD ${mop}`),
  ...['VISA', 'MC', 'AMX', 'MAESTR', 'MAESTRO', 'VISA DEBIT'].map((mop) => `UK GBP ${mop}`),
  ...['VISA', 'MC', 'AMX', 'VISA DEBIT'].map((mop) => `UK EUR ${mop}`),
]);
const FORCED = ['processCreditCard'];
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
          if (server === 'UK' && NA_ONLY.includes(name)) expected.toBe(NOT_ON_SERVER);
          else if (isChecked && !ACCEPTED.has(`${server} ${currency} ${mop}`)) expected.toBe(NOT_WITH_CURRENCY);
          else expected.toBeUndefined();
        }
      }
    }
  });

  it.each([
    ['processCreditCard', 'NA', 'USD', 'DSC', undefined],
    ['processCreditCard', 'NA', 'CAD', 'DSC', NOT_WITH_CURRENCY],
    ['processCreditCard', 'UK', 'GBP', 'MAESTR', undefined],
    ['processCreditCard', 'UK', 'EUR', 'MAESTR', NOT_WITH_CURRENCY],
    ['processCreditCard', 'NA', undefined, undefined, NOT_WITH_CURRENCY],
    ['processCreditCardWithCustomerCode', 'NA', 'USD', undefined, undefined],
    ['processCreditCardWithCustomerCode', 'NA', undefined, undefined, undefined],
    ['processCreditCardWithCustomerCode', 'NA', 'CAD', 'DSC', NOT_WITH_CURRENCY],
    ['createCustomerCodeAndProcessCreditCard', 'UK', 'GBP', undefined, undefined],
    ['createCustomerCodeAndProcessCreditCard', 'UK', 'GBP', 'DSC', NOT_WITH_CURRENCY],
    ['processCreditCardBatch', 'NA', undefined, undefined, undefined],
    ['processCreditCardBatch', 'NA', 'USD', undefined, undefined],
    ['processACHEFT', 'UK', 'GBP', 'VISA', NOT_ON_SERVER],
    ['createACHEFTCustomerCode', 'UK', undefined, undefined, NOT_ON_SERVER],
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

describe('sayRestriction', () => {
  it.each([
    ['NA', 'CAD', 'DSC', `${NOT_WITH_CURRENCY} Judged: server NA, currency CAD, method of payment DSC.`],
    ['UK', 'EUR', 'MC DEBIT', `${NOT_WITH_CURRENCY} Judged: server UK, currency EUR, method of payment MC DEBIT.`],
    ['NA', '', undefined, `${NOT_WITH_CURRENCY} Judged: server NA, no currency, no method of payment.`],
    [
      'NA',
      '4222222222222220',
      '4222222222222220',
      `${NOT_WITH_CURRENCY} Judged: server NA, a currency that is not listed, a method of payment that is not listed.`,
    ],
    ['NA', 'USD', 'VISA DEBIT', undefined],
  ] as const)('of %s, %s and %s says: %s', (server, currency, mop, message) => {
    expect(sayRestriction({ operation: 'processCreditCard', server, currency, mop })).toBe(message);
  });

  it('names the server alone when that is all it judged', () => {
    const call = { operation: 'processACHEFT', server: 'UK', currency: 'GBP', mop: 'VISA' } as const;
    expect(sayRestriction(call)).toBe(`${NOT_ON_SERVER} Judged: server UK.`);
  });
});

describe('sentMop', () => {
  it.each([
    ['NA', 'VISA DEBIT', 'VISA'],
    ['NA', 'MC DEBIT', 'MC'],
    ['NA', 'MAESTRO', 'MAESTRO'],
    ['NA', 'DSC', 'DSC'],
    ['UK', 'VISA DEBIT', 'VISA'],
    ['UK', 'MC DEBIT', 'MC DEBIT'],
    ['UK', 'MAESTRO', 'MAESTR'],
    ['UK', 'toString', 'toString'],
  ] as const)('on %s writes %s as %s', (server, mop, sent) => {
    expect(sentMop(server, mop)).toBe(sent);
    expect(extraMops(server).includes(mop)).toBe(mop !== sent);
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
