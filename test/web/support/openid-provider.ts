import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** An independent OpenID Connect provider that logs everyone in at once, as the person the test names. */
export type TestProvider = {
  readonly issuer: string;
  /** Who logs in next. */
  person: string;
  close(): Promise<void>;
};

export const CLIENT = { clientId: 'paydrop', clientSecret: 'a secret of some length' };

/**
 * @param redirectUri where the provider may send users back to
 * @param port any free one by default
 */
export async function startProvider(redirectUri: string, port = 0): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, redirect_uris: [redirectUri] }],
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    cookies: { keys: ['of this test only'] },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  const world: TestProvider = {
    issuer,
    person: '',
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
    void provider.interactionFinished(request, response, { login: { accountId: world.person } });
  });
  return world;
}
