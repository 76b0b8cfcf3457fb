import { offerSetUp } from '../ledger/person/invite-person.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { newLink } from '../actions/new-link.ts';
import { operatorName } from './operator-name.ts';

/**
 * Creates a link for setting up the first administrator of the dashboard.
 * @param url address of the dashboard
 */
export async function offerSetUpLink(ledger: Ledger, url: string, reason: string): Promise<string> {
  const { token, link } = newLink(ledger.clock.now());
  await offerSetUp(ledger, link, { actor: operatorName(), reason });
  return `${url}/set-up/${token}`;
}
