import { describe, expect, it } from 'vitest';
import { FIELDS } from '../../schemas/fields.ts';
import { SPEC_FIELDS, SPEC_VALUES } from './spec-tables.ts';

describe('FIELDS', () => {
  it('holds every field of the specification and no other', () => {
    expect(Object.keys(FIELDS).toSorted()).toEqual(SPEC_FIELDS.toSorted());
  });

  it('lists the values of the closed sets in the words of the service', () => {
    expect(FIELDS.scheduleType.values).toEqual(SPEC_VALUES.scheduleType);
    expect(FIELDS.accountType.values).toEqual(SPEC_VALUES.accountType);
    const mops = new Set([...SPEC_VALUES.mopNorthAmerica, ...SPEC_VALUES.mopUnitedKingdom]);
    expect(new Set(FIELDS.mop.values)).toEqual(mops);
  });

  it('gives values to enums and to nothing else', () => {
    for (const [name, field] of Object.entries(FIELDS)) {
      expect('values' in field, name).toBe(field.kind === 'enum');
    }
  });

  it.each([
    ['boolean', 'recurring updateAccountNum updateCreditCardNum'],
    ['decimal', 'amount total'],
    ['dateTime', 'beginDate endDate fromDate toDate'],
    ['expiry', 'creditCardExpiry ccExp'],
    ['base64', 'batchFile'],
    ['ipv4', 'customerIPAddress'],
    ['digits', 'accountNum creditCardNum ccNum cvv2'],
  ])('the fields of kind %s are %s', (kind, names) => {
    const found = Object.entries(FIELDS).flatMap(([name, field]) => (field.kind === kind ? [name] : []));
    expect(found.toSorted()).toEqual(names.split(' ').toSorted());
  });

  it('marks as secret exactly what can be used to pay', () => {
    const secrets = Object.entries(FIELDS).flatMap(([name, field]) => ('secret' in field ? [name] : []));
    expect(secrets.toSorted()).toEqual(['accountNum', 'batchFile', 'ccNum', 'creditCardNum', 'cvv2']);
  });

  it('limits the length of every text and digit field', () => {
    for (const [name, field] of Object.entries(FIELDS)) {
      if (field.kind !== 'text' && field.kind !== 'digits') continue;
      expect(field.maxLength, name).toBeGreaterThan(0);
    }
  });

  it('lets the longest card and bank account numbers through', () => {
    expect(FIELDS.creditCardNum.maxLength).toBe(19);
    expect(FIELDS.ccNum.maxLength).toBe(FIELDS.creditCardNum.maxLength);
    expect(FIELDS.accountNum.maxLength).toBeGreaterThanOrEqual('02100002100000000000000001'.length);
    expect(FIELDS.customerIPAddress.maxLength).toBe('255.255.255.255'.length);
  });
});
