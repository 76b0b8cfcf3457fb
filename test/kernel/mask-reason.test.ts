import { describe, expect, it } from 'vitest';
import { maskReason } from '../../src/kernel/mask-reason.ts';
import { CARD } from '../support/payment-rows.ts';

describe('maskReason', () => {
  it.each([
    ['the sender recalls it', 'the sender recalls it'],
    ['sent twice on 2026-06-15', 'sent twice on 2026-06-15'],
    [`card ${CARD} is stolen`, 'card ************2220 is stolen'],
    ['card 4222 2222 2222 2220', 'card **** **** **** 2220'],
  ])('of %j is %j', (words, kept) => {
    expect(maskReason(words)).toBe(kept);
  });
});
