import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { BATCH_STATES, FILE_STATES, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { Count, groupDigits, Moment, Money, OutcomeWord, State } from '../../../src/web/parts/words.tsx';

describe('groupDigits', () => {
  it.each([
    ['0', '0'],
    ['999', '999'],
    ['1000', '1,000'],
    ['1234567', '1,234,567'],
    ['0.00', '0.00'],
    ['1234.50', '1,234.50'],
    ['-1234567.89', '-1,234,567.89'],
    ['123456.7890', '123,456.7890'],
  ])('of %s are %s', (text, grouped) => {
    expect(groupDigits(text)).toBe(grouped);
  });
});

describe('Money and Count', () => {
  it('read as people write them', () => {
    expect(renderToString(Money({ cents: 123_450, currency: 'USD' }))).toBe(
      '<span class="money">1,234.50<small> USD</small></span>',
    );
    expect(renderToString(Money({ cents: -5 }))).toBe('<span class="money">-0.05</span>');
    expect(renderToString(Count({ of: 1_000_000 }))).toBe('1,000,000');
  });
});

describe('Moment', () => {
  it('is in the zone for people and in UTC for machines', () => {
    expect(renderToString(Moment({ at: new Date('2026-06-15T10:00:00Z'), timeZone: 'America/Toronto' }))).toBe(
      '<time datetime="2026-06-15T10:00:00.000Z">2026-06-15 06:00:00 -04:00</time>',
    );
  });
});

describe('State and OutcomeWord', () => {
  it.each([...Object.keys(FILE_STATES), ...Object.keys(BATCH_STATES)])('%s is told by its word', (state) => {
    expect(renderToString(State({ state }))).toMatch(
      new RegExp(`^<span class="state \\w+">${state.replaceAll('_', ' ')}<`),
    );
  });

  it('shouts where money is in doubt', () => {
    for (const state of ['unknown', 'exception', 'refused'])
      expect(renderToString(State({ state }))).toContain('class="state bad"');
  });

  it.each(Object.keys(OUTCOMES))('%s is told as output files name it', (outcome) => {
    const { label } = OUTCOMES[outcome as keyof typeof OUTCOMES];
    expect(renderToString(OutcomeWord({ outcome }))).toContain(`>${label}<`);
  });
});
