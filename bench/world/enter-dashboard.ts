import type { App } from '../../src/app.ts';
import { invitePerson, usePersonLink } from '../../src/ledger/person/invite-person.ts';
import { hashPassword } from '../../src/crypto/password.ts';
import { hashSecretToken, newSecretToken } from '../../src/crypto/secret-token.ts';

const NAME = 'bench';
const PASSWORD = 'four words nobody guesses';

/**
 * Logs in at the dashboard as a viewer.
 * @returns gets a page as a browser does; throws when the status is not 200
 */
export async function enterDashboard(app: App, url: string): Promise<(path: string) => Promise<string>> {
  const tokenHash = hashSecretToken(newSecretToken());
  const link = { tokenHash, expiresAt: new Date(app.clock.now().getTime() + 60_000) };
  await invitePerson(app.ledger, { name: NAME, role: 'viewer' }, link, {
    actor: 'operator:bench',
    reason: 'measuring',
  });
  await usePersonLink(app.ledger, tokenHash, { name: NAME, password: await hashPassword(PASSWORD) });
  const body = new URLSearchParams({ name: NAME, password: PASSWORD, _csrf: '' });
  const entered = await fetch(`${url}/login`, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { accept: 'text/html' },
  });
  const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return async (path) => {
    const answer = await fetch(url + path, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' });
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`);
    return answer.text();
  };
}
