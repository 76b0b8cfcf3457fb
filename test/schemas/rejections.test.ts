import { describe, expect, it } from 'vitest';
import { ADVICE, REJECTIONS, rejectionOf, saidAnswer } from '../../schemas/rejections.ts';

describe('REJECTIONS', () => {
  it('tells code 19 as an incorrect CVV2 security code, the one pair that the spec gives', () => {
    expect(REJECTIONS[19]?.message).toMatch(/CVV2/);
    expect(rejectionOf(19)).toEqual({ message: 'Incorrect CVV2 security code', advice: 'fix' });
  });

  it('gives every code a message in one line and an advice', () => {
    for (const [code, row] of Object.entries(REJECTIONS)) {
      expect(Number(code), code).toBeGreaterThan(0);
      expect(row.message, code).toMatch(/^[A-Z][^\n]*[^.\s]$/);
      expect(ADVICE, code).toContain(row.advice);
    }
  });

  it('uses every kind of advice', () => {
    const used = new Set(Object.values(REJECTIONS).map((row) => row.advice));
    expect([...used].toSorted()).toEqual([...ADVICE].toSorted());
  });

  it.each([7, 8, 18, 25, 63, 100])('code %i is never sent again', (code) => {
    expect(rejectionOf(code).advice).toBe('never');
  });

  it.each([55, 68, 69, 70])('code %i may have moved money, so it is not a decline', (code) => {
    expect(rejectionOf(code).advice).toBe('unknown');
  });

  it.each([14, 22, 23, 91])('code %i may be tried later with the same data', (code) => {
    expect(rejectionOf(code).advice).toBe('later');
  });

  it('offers no other code for sending again as it is', () => {
    const later = Object.entries(REJECTIONS).flatMap(([code, row]) => (row.advice === 'later' ? [Number(code)] : []));
    expect(later).toEqual([14, 22, 23, 91]);
  });
});

describe('rejectionOf', () => {
  it.each([0, 13, 99, 101, -1, 1.5])('names the unlisted code %d and calls its outcome unknown', (code) => {
    expect(rejectionOf(code)).toEqual({ message: `Rejection code ${code}, which is not listed`, advice: 'unknown' });
  });
});

describe('saidAnswer', () => {
  it.each([
    ['REJECT: 1', 1, 'The agent code is not set up, or the login is wrong (REJECT: 1)'],
    ['REJECT: 999', 999, 'Rejection code 999, which is not listed (REJECT: 999)'],
    ['OK: 678594', null, 'OK: 678594'],
  ])('puts the meaning of its code before %s', (text, code, said) => {
    expect(saidAnswer(text, code)).toBe(said);
  });
});
