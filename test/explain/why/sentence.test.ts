import { describe, expect, it } from 'vitest';
import { capital, ended, outcomesOf, sumOf, whoDid } from '../../../src/explain/why/sentence.ts';

describe('the words of a story', () => {
  it('name persons, and call every worker paydrop', () => {
    expect(whoDid('operator:ada')).toBe('ada');
    expect(whoDid('worker:submit')).toBe('paydrop');
  });

  it('count rows and money', () => {
    expect(sumOf(1, 1_000)).toBe('1 row with a total of 10.00');
    expect(sumOf(2, -550)).toBe('2 rows with a total of -5.50');
    expect(
      outcomesOf([
        { outcome: 'approved', rows: 5, cents: 12_500 },
        { outcome: 'declined', rows: 1, cents: 2_500 },
      ]),
    ).toBe('5 rows APPROVED (charged or refunded), 125.00; 1 row DECLINED (refused by the service with a code), 25.00');
  });

  it('end in one full stop and begin with a capital', () => {
    expect([ended('it broke off'), ended('it broke off. '), ended('')]).toEqual([
      'it broke off.',
      'it broke off.',
      '.',
    ]);
    expect(capital('nothing left')).toBe('Nothing left');
  });
});
