import { describe, expect, it } from 'vitest';
import { cutLongTexts, findLongText } from '../../../src/sandbox/soap/answer-call.ts';

const OPERATION = 'createCreditCardCustomerCode';

describe('findLongText', () => {
  it.each([
    ['customerCode', 40],
    ['firstName', 100],
    ['companyName', 100],
    ['comment', 100],
    ['city', 40],
    ['alternatePhone', 40],
    ['creditCardCustomerName', 30],
  ])('lets %s have %d characters and no more', (name, limit) => {
    expect(findLongText(OPERATION, new Map([[name, 'x'.repeat(limit)]]))).toBeUndefined();
    expect(findLongText(OPERATION, new Map([[name, 'x'.repeat(limit + 1)]]))).toBe(
      `Bad request. ${name} may have ${limit} characters at most.`,
    );
  });

  it.each(['creditCardNum', 'creditCardExpiry', 'customerIPAddress', 'amount', 'invoiceNum', 'nonsense', 'agentCode'])(
    'does not ask for %s, which is refused elsewhere or passed over',
    (name) => {
      expect(findLongText(OPERATION, new Map([[name, '4'.repeat(1000)]]))).toBeUndefined();
    },
  );
});

describe('cutLongTexts', () => {
  it('leaves what fits as it is', () => {
    const fields = new Map([['city', 'x'.repeat(40)]]);
    expect(cutLongTexts(OPERATION, fields)).toBe(fields);
  });

  it('cuts what is too long and nothing else', () => {
    const fields = new Map([
      ['city', 'Troy'.repeat(20)],
      ['firstName', 'Ada'],
      ['creditCardNum', '4'.repeat(50)],
    ]);
    expect(Object.fromEntries(cutLongTexts(OPERATION, fields))).toEqual({
      city: 'Troy'.repeat(10),
      firstName: 'Ada',
      creditCardNum: '4'.repeat(50),
    });
  });

  it('leaves no half of a character', () => {
    expect(cutLongTexts(OPERATION, new Map([['city', `${'x'.repeat(39)}\u{1F600}`]])).get('city')).toBe('x'.repeat(39));
  });
});
