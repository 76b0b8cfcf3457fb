import { describe, expect, it } from 'vitest';
import { joinedDigits, plainDigits } from '../../src/kernel/plain-digits.ts';

describe('plainDigits', () => {
  it.each([
    ['0123456789', '0123456789'],
    ['\uff10\uff11\uff19', '019'],
    ['\u0660\u0661\u0669', '019'],
    ['\u0966\u096f', '09'],
    ['\u{1d7ce}\u{1d7d7}\u{1d7d8}\u{1d7ff}', '0909'],
    ['\u00bd \u2460 \u4e00 x', '\u00bd \u2460 \u4e00 x'],
    ['', ''],
  ])('makes of %j %j', (text, plain) => {
    expect(plainDigits(text)).toBe(plain);
  });
});

describe('joinedDigits', () => {
  it.each([
    ['of 0210000 (21)_4/0', 'of02100002140'],
    ['\uff10\uff11-\u0662', '012'],
    ['***60', '60'],
    ['', ''],
  ])('makes of %j %j', (text, joined) => {
    expect(joinedDigits(text)).toBe(joined);
  });
});
