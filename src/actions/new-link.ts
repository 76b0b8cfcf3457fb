import { LINK_MS } from '../../schemas/desk.ts';
import type { NewLink } from '../ledger/person/invite-person.ts';
import { hashSecretToken, newSecretToken } from '../crypto/secret-token.ts';

/** A fresh secret for a link to the desk, which is shown once, and what is kept of it. */
export function newLink(now: Date): { token: string; link: NewLink } {
  const token = newSecretToken();
  return { token, link: { tokenHash: hashSecretToken(token), expiresAt: new Date(now.getTime() + LINK_MS) } };
}
