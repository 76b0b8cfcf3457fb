import { describe, expect, it } from 'vitest';
import { isApprovalDue, takesTwoToApprove } from '../../src/config/second-person.ts';

const OFF = { refunds: false, overrides: false, resolutions: false };
const rules = (part: Partial<typeof OFF> = {}) => ({ secondPerson: { ...OFF, ...part } });

describe('isApprovalDue', () => {
  it('only for refunds, and only where the account asks for it', () => {
    expect(isApprovalDue(rules({ refunds: true }), 'ach-refund')).toBe(true);
    expect(isApprovalDue(rules({ refunds: true }), 'ach-charge')).toBe(false);
    expect(isApprovalDue(rules({ refunds: true }), 'card')).toBe(false);
    expect(isApprovalDue(rules({ overrides: true, resolutions: true }), 'ach-refund')).toBe(false);
  });
});

describe('takesTwoToApprove', () => {
  it.each([
    ['nothing asked', rules(), 'ach-refund', false],
    ['refunds, a refund', rules({ refunds: true }), 'ach-refund', true],
    ['refunds, a charge', rules({ refunds: true }), 'ach-charge', false],
    ['overrides, a charge', rules({ overrides: true }), 'card', true],
    ['resolutions are not approvals', rules({ resolutions: true }), 'ach-refund', false],
    ['an account that is not configured any more', undefined, 'card', true],
  ] as const)('%s', (_, account, operation, due) => {
    expect(takesTwoToApprove(account, operation)).toBe(due);
  });
});
