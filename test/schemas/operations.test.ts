import { describe, expect, it } from 'vitest';
import { FOLDER_OPERATIONS, OPERATIONS, SERVER_URLS, SERVICE_NAMESPACE } from '../../schemas/operations.ts';
import { SPEC_OPERATIONS } from './spec-tables.ts';

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

  it('demands currency and method of payment for direct card charges', () => {
    const forced = ROWS.filter(([, row]) => row.checksCurrency).map(([name]) => name);
    expect(forced).toEqual([
      'processCreditCard',
      'processCreditCardWithCustomerCode',
      'createCustomerCodeAndProcessCreditCard',
    ]);
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
