import { describe, expect, it } from 'vitest';
import { readReason } from '../../src/cli/read-reason.ts';
import { CARD } from '../support/payment-rows.ts';

const call = (reason?: string) => ({ arguments: [], options: { reason }, dir: '.' });

describe('readReason', () => {
  it.each([
    ['  the sender recalls it ', 'the sender recalls it'],
    ['sent twice on 2026-06-15', 'sent twice on 2026-06-15'],
    [`card ${CARD} is stolen`, 'card ************2220 is stolen'],
  ])('of %j is %j', (given, kept) => {
    expect(readReason(call(given), 'cancel it')).toBe(kept);
  });

  it.each(['', '   ', undefined])('wants one: %j', (given) => {
    expect(() => readReason(call(given), 'cancel it')).toThrow('Cannot cancel it: --reason is empty. Say why.');
  });
});
