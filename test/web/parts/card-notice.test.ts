import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { CardNotice, isCardNumber } from '../../../src/web/parts/blocks.tsx';

describe('isCardNumber', () => {
  it.each([
    ['4222222222222220', true],
    ['4222 2222 2222 2220', true],
    ['4222-2222-2222-2220', true],
    ['4222.2222.2222.2220', true],
    ['paid with 4222222222222220 in June', true],
    ['900000000001', true],
    ['900000000009', false],
    ['4222222222222221', false],
    ['INV-77', false],
    ['20260615', false],
    ['', false],
  ])('of %j is %s', (words, expected) => {
    expect(isCardNumber(words)).toBe(expected);
  });
});

describe('CardNotice', () => {
  it('says what to look for instead', () => {
    expect(renderToString(h(CardNotice, {}))).toContain('Card numbers cannot be searched; use the invoice');
  });
});
