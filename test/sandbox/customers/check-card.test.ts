import { describe, expect, it } from 'vitest';
import { checkCard, checkExpiry } from '../../../src/sandbox/customers/check-card.ts';

const NOW = new Date('2017-06-15T10:00:00Z');
const NUMBER = '4222222222222220';

describe('checkCard', () => {
  it.each(['4111', '422222222222222', '9999999999999999', '4222 2222 2222 2220', '0'.repeat(20), ''])(
    'refuses the number %j before it looks at the expiry',
    (number) => {
      expect(checkCard(number, '01/10', NOW)).toBe('0Error:Invalid credit card number');
    },
  );

  it('looks at the expiry of a good number', () => {
    expect(checkCard(NUMBER, '01/10', NOW)).toBe('0Error:Invalid expiry date');
    expect(checkCard(NUMBER, '12/20', NOW)).toBeUndefined();
  });
});

describe('checkExpiry', () => {
  it.each(['06/17', '07/17', '12/17', '01/99'])('%s is still good', (expiry) => {
    expect(checkExpiry(expiry, NOW)).toBeUndefined();
  });

  it.each(['05/17', '12/16', '01/10', '13/20', '00/20', '1220', '1/20', '12/2020', '12-20', ''])(
    '%j is not',
    (expiry) => {
      expect(checkExpiry(expiry, NOW)).toBe('0Error:Invalid expiry date');
    },
  );

  it('ends with its month', () => {
    expect(checkExpiry('12/17', new Date('2017-12-31T23:59:59Z'))).toBeUndefined();
    expect(checkExpiry('12/17', new Date('2018-01-01T00:00:00Z'))).toBeDefined();
  });
});
