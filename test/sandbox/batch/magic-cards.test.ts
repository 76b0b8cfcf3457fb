import { describe, expect, it } from 'vitest';
import type { Server } from '../../../schemas/operations.ts';
import { judgeCard, judgeCardRefund, MAGIC_CARDS } from '../../../src/sandbox/batch/magic-cards.ts';
import { passesLuhn } from '../../../src/kernel/luhn.ts';

const ALWAYS = '4222222222222220';
const BY_AMOUNT = '4111111111111111';

describe('judgeCard', () => {
  it.each([
    [ALWAYS, 1, 'OK: 678594:'],
    [ALWAYS, 200_000, 'OK: 678594:'],
    [ALWAYS, 200_001, 'REJECT: 39'],
    [BY_AMOUNT, 100, 'OK: 678594:'],
    [BY_AMOUNT, 200, 'REJECT: 15'],
    [BY_AMOUNT, 300, 'OK: 678594:'],
    [BY_AMOUNT, 400, 'REJECT: 15'],
    [BY_AMOUNT, 500, 'REJECT: 15'],
    [BY_AMOUNT, 600, 'OK: 678594:X'],
    [BY_AMOUNT, 700, 'OK: 678594:y'],
    [BY_AMOUNT, 800, 'OK: 678594:A'],
    [BY_AMOUNT, 900, 'OK: 678594:Z'],
    [BY_AMOUNT, 1000, 'OK: 678594:N'],
    [BY_AMOUNT, 1100, 'REJECT: 15'],
    [BY_AMOUNT, 101, 'REJECT: 15'],
    [BY_AMOUNT, 1500, 'REJECT: 19'],
    [BY_AMOUNT, 1600, 'REJECT: 2'],
    [BY_AMOUNT, 200_001, 'REJECT: 39'],
    ['5555555555554444', 500, 'OK: 678594:'],
    ['9999999999999999', 500, 'REJECT: 40'],
    ['4111111111111112', 100, 'REJECT: 40'],
    ['4111111111111112', 200_001, 'REJECT: 40'],
    ['4111-1111-1111-1111', 100, 'REJECT: 40'],
    ['', 100, 'REJECT: 40'],
    [undefined, 500, 'OK: 678594:'],
    [undefined, 200_001, 'REJECT: 39'],
  ])('card %s, %i cents: %s', (number, amountCents, message) => {
    expect(judgeCard({ number, amountCents, server: undefined, ipAddress: '' })).toBe(message);
  });

  it.each<[number, Server | undefined, string, string]>([
    [19_200, 'NA', '', 'OK: 678594:'],
    [19_200, 'NA', '10.1.2.3', 'OK: 678594:'],
    [19_200, 'NA', '100', 'REJECT: 5'],
    [19_200, undefined, '2001:db8::1', 'REJECT: 5'],
    [19_200, 'UK', '100', 'REJECT: 15'],
    [100, 'NA', '100', 'OK: 678594:'],
  ])('%i cents on %s with the address %j: %s', (amountCents, server, ipAddress, message) => {
    expect(judgeCard({ number: BY_AMOUNT, amountCents, server, ipAddress })).toBe(message);
  });
});

describe('judgeCard with a security code', () => {
  it.each([
    ['1234', 'OK: 678594:Y'],
    ['123', 'REJECT: 19'],
    ['', 'REJECT: 19'],
  ])('%j decides about the amount that asks for it', (securityCode, message) => {
    const charge = { number: BY_AMOUNT, amountCents: 1500, server: undefined, ipAddress: '', securityCode };
    expect(judgeCard(charge)).toBe(message);
  });
});

describe('judgeCardRefund', () => {
  it.each([
    [ALWAYS, true, 'OK: 678594:'],
    [BY_AMOUNT, false, 'REJECT: 15'],
    ['5555555555554444', false, 'OK: 678594:'],
    ['5555555555554444', true, 'REJECT: 15'],
  ])('of %s, too much: %s', (charged, isTooMuch, message) => {
    expect(judgeCardRefund({ isCard: (number) => number === charged, isTooMuch })).toBe(message);
  });
});

describe('MAGIC_CARDS', () => {
  it('holds cards with right check digits, and each amount once', () => {
    for (const { number, amounts } of MAGIC_CARDS) {
      const cents = amounts.flatMap((amount) => amount.cents);
      expect(passesLuhn(number)).toBe(true);
      expect(new Set(cents).size).toBe(cents.length);
    }
  });
});
