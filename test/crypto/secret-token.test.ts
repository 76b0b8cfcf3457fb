import { expect, it } from 'vitest';
import { hashSecretToken, newSecretToken } from '../../src/crypto/secret-token.ts';

it('a token has 256 bits, is another each time, and its hash does not tell it', () => {
  const [one, other] = [newSecretToken(), newSecretToken()];
  expect(Buffer.from(one, 'base64url')).toHaveLength(32);
  expect(one).not.toBe(other);
  expect(hashSecretToken(one)).toEqual(hashSecretToken(one));
  expect(hashSecretToken(one)).not.toEqual(hashSecretToken(other));
  expect(hashSecretToken(one).toString('base64url')).not.toContain(one);
});
