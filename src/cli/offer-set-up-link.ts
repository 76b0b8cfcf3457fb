import { LINK_MS } from '../../schemas/desk.ts';
import { offerSetUp } from '../ledger/moves/people/invite-person.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { hashSecretToken, newSecretToken } from '../vault/secret-token.ts';
import { operatorName } from './operator-name.ts';

/** A new link by which the first administrator of the desk is made. @param url where the desk is answered */
export async function offerSetUpLink(ledger: Ledger, url: string, reason: string): Promise<string> {
  const token = newSecretToken();
  const expiresAt = new Date(ledger.clock.now().getTime() + LINK_MS);
  await offerSetUp(ledger, { tokenHash: hashSecretToken(token), expiresAt }, { actor: operatorName(), reason });
  return `${url}/set-up/${token}`;
}
