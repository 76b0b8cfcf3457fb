import { describe, expect, it } from 'vitest';
import { storableJson, storableText } from '../../../src/ledger/engine/storable-text.ts';

describe('storableText', () => {
  it.each([
    ['plain, with äöü, 漢字 and a tab\t', 'plain, with äöü, 漢字 and a tab\t'],
    ['a whole pair \u{1F600}', 'a whole pair \u{1F600}'],
    ['NUL \0 in it', 'NUL \uFFFD in it'],
    ['first half \ud83d', 'first half \uFFFD'],
    ['second half \ude00 alone', 'second half \uFFFD alone'],
    ['halves the wrong way round \ude00\ud83d', 'halves the wrong way round \uFFFD\uFFFD'],
    ['', ''],
  ])('makes %j to %j', (text, stored) => {
    expect(storableText(text)).toBe(stored);
  });
});

describe('storableJson', () => {
  it('mends the texts wherever they stand, and leaves the rest as it is', () => {
    const value = { a: 'x\0', list: ['\ud83d', 1, null, true], deep: { b: 'y' }, gone: undefined };
    expect(JSON.parse(storableJson(value))).toEqual({
      a: 'x\uFFFD',
      list: ['\uFFFD', 1, null, true],
      deep: { b: 'y' },
    });
  });
});
