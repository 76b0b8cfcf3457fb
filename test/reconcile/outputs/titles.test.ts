import { describe, expect, it } from 'vitest';
import { REASON_TITLE, RESULT_TITLES, titlesOf } from '../../../src/reconcile/outputs/result-row.ts';
import { LAYOUT_NAMES } from '../support/result-rows.ts';

describe('titlesOf', () => {
  it.each([
    ['ach', 'Invoice #,First Name,Last Name,Account Type,Account #,Amount,Comment'],
    ['ach-code', 'Invoice #,Customer Code,Amount,Comment'],
    ['card', 'Date,Invoice #,First Name,Last Name,Street,City,State,Zip Code,Amount,MOP,Credit Card #,Expiry'],
    ['card-ca', 'Date,Invoice #,Full Name,Amount,MOP,Credit Card #,Expiry'],
    ['card-code', 'Invoice #,Customer Code,Amount,Comment'],
  ] as const)('are for %s the words of the spec', (layout, titles) => {
    expect(titlesOf(layout).join(',')).toBe(titles);
  });
});

describe('RESULT_TITLES', () => {
  it('are those that the lifecycle names', () => {
    expect(RESULT_TITLES.join(', ')).toBe(
      'Outcome, Code, Message, Authorization, Batch Id, Sent At, Result At, Attempt',
    );
  });

  it.each(LAYOUT_NAMES)('are other words than those of %s, as are Line and Reason', (layout) => {
    const all = ['Line', ...titlesOf(layout), ...RESULT_TITLES, REASON_TITLE];
    expect(new Set(all).size).toBe(all.length);
  });
});
