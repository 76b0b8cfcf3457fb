import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapePattern } from '../../src/kernel/escape-pattern.ts';

it('makes a pattern that matches the text alone', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'\\^$.*+?()[]{}|/-a0é€') });
  fc.assert(
    fc.property(texts, texts, (text, other) => {
      expect(new RegExp(`^${escapePattern(text)}$`).test(other)).toBe(text === other);
      expect(new RegExp(`^${escapePattern(text)}$`, 'u').test(text)).toBe(true);
    }),
  );
});
