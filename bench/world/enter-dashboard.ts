import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { App } from '../../src/app.ts';
import { invitePerson, usePersonLink } from '../../src/ledger/person/invite-person.ts';
import { hashPassword } from '../../src/crypto/password.ts';
import { hashSecretToken, newSecretToken } from '../../src/crypto/secret-token.ts';

const NAME = 'bench';
const PASSWORD = 'four words nobody guesses';

/** Gets a page as a browser does, with the bytes of its body as they are sent. Throws when the status is not 200. */
export type GetPage = (path: string, headers?: Record<string, string>) => Promise<{ text: string; bytes: number }>;

/** Logs in at the dashboard as an admin, whose pages show the most. */
export async function enterDashboard(app: App, url: string): Promise<GetPage> {
  const tokenHash = hashSecretToken(newSecretToken());
  const link = { tokenHash, expiresAt: new Date(app.clock.now().getTime() + 60_000) };
  await invitePerson(app.ledger, { name: NAME, role: 'admin' }, link, {
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
  return async (path, headers = {}) => {
    const [answer] = (await once(
      get(url + path, { headers: { cookie, accept: 'text/html', 'accept-encoding': 'gzip', ...headers } }),
      'response',
    )) as [IncomingMessage];
    const body = await buffer(answer);
    if (answer.statusCode !== 200) throw new Error(`${path} was answered with ${answer.statusCode}`);
    const isPacked = answer.headers['content-encoding'] === 'gzip';
    return { text: String(isPacked ? gunzipSync(body) : body), bytes: body.length };
  };
}
