import { LINK_MS } from '../../schemas/actions.ts';
import type { NewLink } from '../ledger/person/invite-person.ts';
import { hashSecretToken, newSecretToken } from '../crypto/secret-token.ts';

/** Returns a new secret for a link to the dashboard, which is shown once, and what is stored of it. */
export function newLink(now: Date): { token: string; link: NewLink } {
  const token = newSecretToken();
  return { token, link: { tokenHash: hashSecretToken(token), expiresAt: new Date(now.getTime() + LINK_MS) } };
}
