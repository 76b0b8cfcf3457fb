import { offerSetUp } from '../ledger/person/invite-person.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { newLink } from '../actions/new-link.ts';
import { operatorName } from './operator-name.ts';

/** A new link by which the first administrator of the desk is made. @param url where the desk is answered */
export async function offerSetUpLink(ledger: Ledger, url: string, reason: string): Promise<string> {
  const { token, link } = newLink(ledger.clock.now());
  await offerSetUp(ledger, link, { actor: operatorName(), reason });
  return `${url}/set-up/${token}`;
}
