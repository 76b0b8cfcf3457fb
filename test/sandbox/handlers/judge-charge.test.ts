import { describe, expect, it } from 'vitest';
import { judgeCharge, type JudgedCharge, outcomeOf } from '../../../src/sandbox/handlers/judge-charge.ts';

const CARD: JudgedCharge = {
  kind: 'card',
  number: '4222222222222220',
  amountCents: 500,
  server: undefined,
  ipAddress: '',
};
const BANK: JudgedCharge = { ...CARD, kind: 'bank', number: '02100002100000000000000001' };

describe('judgeCharge', () => {
  it.each<[string, JudgedCharge, string]>([
    ['a card', CARD, 'OK: 678594:'],
    ['a card of which it depends on the amount', { ...CARD, number: '4111111111111111' }, 'REJECT: 15'],
    [
      'a card with a code',
      { ...CARD, number: '4111111111111111', amountCents: 1500, securityCode: '1234' },
      'OK: 678594:Y',
    ],
    ['a card that is none', { ...CARD, number: '9999999999999999' }, 'REJECT: 40'],
    ['a card that is none, and no amount', { ...CARD, number: '1', amountCents: undefined }, 'REJECT: 40'],
    ['a card and no amount', { ...CARD, amountCents: undefined }, 'REJECT: 5'],
    ['a card and nothing', { ...CARD, amountCents: 0 }, 'REJECT: 5'],
    ['a card and less than nothing', { ...CARD, amountCents: -1 }, 'REJECT: 5'],
    ['a card and too much', { ...CARD, amountCents: 200_001 }, 'REJECT: 39'],
    ['an account', BANK, 'OK: 555555:'],
    ['an account and more than a card may', { ...BANK, amountCents: 200_001 }, 'OK: 555555:'],
    ['an account that is none, and no amount', { ...BANK, number: '123', amountCents: undefined }, 'REJECT: 40'],
    ['an account and nothing', { ...BANK, amountCents: 0 }, 'REJECT: 5'],
  ])('%s', (_, charge, message) => {
    expect(judgeCharge(charge)).toBe(message);
  });
});

describe('outcomeOf', () => {
  it.each([
    ['card', true, 'approved'],
    ['bank', true, 'accepted_pending'],
    ['card', false, 'declined'],
    ['bank', false, 'declined'],
  ] as const)('of a %s that is paid: %s', (kind, isPaid, outcome) => {
    expect(outcomeOf(kind, isPaid)).toBe(outcome);
  });
});
