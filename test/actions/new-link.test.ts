import { expect, it } from 'vitest';
import { newLink } from '../../src/actions/new-link.ts';
import { hashSecretToken } from '../../src/crypto/secret-token.ts';

it('a link works for a day, and what is kept of it is only the hash of its secret', () => {
  const { token, link } = newLink(new Date('2026-06-15T10:00:00Z'));
  expect(link).toEqual({ tokenHash: hashSecretToken(token), expiresAt: new Date('2026-06-16T10:00:00Z') });
  expect(newLink(new Date()).token).not.toBe(token);
});
