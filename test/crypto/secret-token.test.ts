import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { maskToken, newSecretToken, unmaskToken } from '../../src/crypto/secret-token.ts';

describe('maskToken', () => {
  it('writes the same token differently each time, and gives it back', () => {
    const token = newSecretToken();
    const written = Array.from({ length: 20 }, () => maskToken(token));
    expect(new Set(written).size).toBe(20);
    expect(written.map(unmaskToken)).toEqual(written.map(() => token));
    // The letters of the token must not stand in the page in any order that compression could find.
    expect(written.filter((text) => text.includes(token.slice(0, 8)))).toEqual([]);
  });
});

describe('unmaskToken', () => {
  it('takes any text without failing, and never makes the token of a bare one', () => {
    const token = newSecretToken();
    expect(unmaskToken(token)).not.toBe(token);
    fc.assert(
      fc.property(fc.string(), (text) => unmaskToken(text) !== token),
      { numRuns: 200 },
    );
  });
});
