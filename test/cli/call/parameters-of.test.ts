import { describe, expect, it } from 'vitest';
import { FIELDS, type FieldName } from '../../../schemas/fields.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import {
  comparesCurrency,
  environmentName,
  isSecret,
  needsMopBeside,
  parametersOf,
  secretsOf,
} from '../../../src/cli/call/parameters-of.ts';

const NAMES = Object.keys(OPERATIONS) as OperationName[];

describe('parametersOf', () => {
  it.each(NAMES)('has each parameter of %s once', (operation) => {
    const { required, optional } = parametersOf(operation);
    const row = OPERATIONS[operation];
    expect([...required, ...optional].sort()).toEqual([...row.required, ...row.optional, ...row.unstated].sort());
    expect(new Set([...required, ...optional]).size).toBe(required.length + optional.length);
    expect(required).toEqual(row.required);
  });
});

describe('secretsOf', () => {
  it('names what must not be typed, required ones first', () => {
    expect(secretsOf('processCreditCard')).toEqual(['creditCardNum', 'cvv2']);
    expect(secretsOf('createCustomerCodeAndProcessCreditCard')).toEqual(['ccNum', 'cvv2']);
    expect(secretsOf('processACHEFT')).toEqual(['accountNum']);
    expect(secretsOf('getCustomerCodeDetail')).toEqual([]);
  });

  it('is every secret of the table but the batch file, of which the path is typed', () => {
    const secret = (Object.keys(FIELDS) as FieldName[]).filter((name) => 'secret' in FIELDS[name]);
    expect(secret.filter((name) => !isSecret(name))).toEqual(['batchFile']);
  });
});

describe('environmentName', () => {
  it.each([
    ['creditCardNum', 'PAYDROP_CREDIT_CARD_NUM'],
    ['ccNum', 'PAYDROP_CC_NUM'],
    ['accountNum', 'PAYDROP_ACCOUNT_NUM'],
    ['cvv2', 'PAYDROP_CVV2'],
  ] as const)('of %s is %s', (name, variable) => {
    expect(environmentName(name)).toBe(variable);
  });
});

describe('the restriction check', () => {
  it('wants a method of payment beside the parameters where the operation is forced and has none', () => {
    expect(NAMES.filter(needsMopBeside)).toEqual([
      'processCreditCardWithCustomerCode',
      'createCustomerCodeAndProcessCreditCard',
    ]);
  });

  it('compares the currency wherever a method of payment is known', () => {
    expect(NAMES.filter(comparesCurrency)).toEqual([
      'createCreditCardCustomerCode',
      'updateCreditCardCustomerCode',
      'processCreditCard',
      'processCreditCardWithCustomerCode',
      'createCustomerCodeAndProcessCreditCard',
    ]);
  });
});
