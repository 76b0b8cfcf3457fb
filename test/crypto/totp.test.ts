import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  codeOf,
  findStep,
  hashRecoveryCode,
  newRecoveryCodes,
  newTotpSecret,
  openTotpSecret,
  rewrapTotpSecret,
  stepAt,
  toBase32,
} from '../../src/crypto/totp.ts';
import { maskToken, newSecretToken, unmaskToken } from '../../src/crypto/secret-token.ts';
import { masterKeyOf } from '../support/openpgp.ts';

const RFC_SECRET = Buffer.from('12345678901234567890');

describe('codeOf', () => {
  // RFC 6238, appendix B, the rows for SHA-1.
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at second %i is that of the RFC', (second, code) => {
    const step = stepAt(new Date(second * 1_000));
    expect(codeOf(RFC_SECRET, step, 8)).toBe(code);
    expect(codeOf(RFC_SECRET, step)).toBe(code.slice(2));
  });
});

describe('findStep', () => {
  const now = new Date('2026-06-15T12:00:10Z');
  const step = stepAt(now);
  const find = (of: number, after = 0) => findStep(RFC_SECRET, codeOf(RFC_SECRET, of), now, after);

  it('takes the code of now and of the half minutes beside it, however it is typed', () => {
    expect([step - 2, step - 1, step, step + 1, step + 2].map((of) => find(of))).toEqual([
      undefined,
      step - 1,
      step,
      step + 1,
      undefined,
    ]);
    expect(findStep(RFC_SECRET, ` ${codeOf(RFC_SECRET, step).replace(/^.../, '$& ')} `, now, 0)).toBe(step);
  });

  it('takes no code a second time, and none before one that was taken', () => {
    expect([find(step, step), find(step - 1, step), find(step + 1, step)]).toEqual([undefined, undefined, step + 1]);
  });

  it.each(['', '12345', '1234567', 'abcdef', '１２３４５６', '-12345'])('takes no other text: %j', (text) => {
    expect(findStep(RFC_SECRET, text, now, 0)).toBeUndefined();
  });
});

describe('a secret', () => {
  const [one, two] = [1, 2].map(masterKeyOf);

  it('opens for its person alone, and stays the same under another master key', () => {
    const wrapped = newTotpSecret(one!, 'ann');
    const secret = openTotpSecret(one!, 'ann', wrapped);
    expect(secret).toHaveLength(20);
    expect(() => openTotpSecret(one!, 'bob', wrapped)).toThrow(expect.objectContaining({ code: 'SEAL_BROKEN' }));
    const again = rewrapTotpSecret(one!, two!, 'ann', wrapped);
    expect(openTotpSecret(two!, 'ann', again).equals(secret)).toBe(true);
    expect(() => openTotpSecret(one!, 'ann', again)).toThrow(expect.objectContaining({ code: 'MASTER_KEY_WRONG' }));
    expect(JSON.stringify({ secret })).toBe('{"secret":"[hidden]"}');
  });

  it('is new each time', () => {
    const secrets = [1, 2].map(() => toBase32(openTotpSecret(one!, 'ann', newTotpSecret(one!, 'ann'))));
    expect(secrets[0]).not.toBe(secrets[1]);
  });
});

describe('toBase32', () => {
  // RFC 4648, section 10, without the padding.
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('of %j is that of the RFC', (text, written) => {
    expect(toBase32(Buffer.from(text))).toBe(written);
  });
});

describe('recovery codes', () => {
  it('are eight, different, and known again however they are typed', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(8);
    for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(?:-[a-z2-7]{4}){3}$/);
    const [code = ''] = codes;
    for (const typed of [code.toUpperCase(), code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')}`])
      expect(hashRecoveryCode(typed).equals(hashRecoveryCode(code))).toBe(true);
  });

  it('have hashes of their own', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz234567'),
      minLength: 16,
      maxLength: 16,
    });
    fc.assert(
      fc.property(letters, letters, (one, other) => {
        expect(hashRecoveryCode(one).equals(hashRecoveryCode(other))).toBe(one === other);
      }),
      { numRuns: 100 },
    );
  });
});

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
