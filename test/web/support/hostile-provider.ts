import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CLIENT } from './openid-provider.ts';

/** An OpenID provider whose answers the test chooses, byte by byte. */
export type HostileProvider = {
  readonly issuer: string;
  /** Answers the exchange of a code. */
  answer: (reply: ServerResponse) => void;
  /** Returns an ID token that fits, but for these changes. */
  token(change?: { claims?: object; header?: object; key?: KeyObject; signature?: string }): string;
  /** What the ID token repeats. */
  nonce: string;
  close(): Promise<void>;
};

const makeKey = () => generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** @returns a key that the provider does not publish */
export function strangeKey(): KeyObject {
  return makeKey().privateKey;
}

export async function startHostileProvider(): Promise<HostileProvider> {
  const { publicKey, privateKey } = makeKey();
  const server = createServer((request, reply) => {
    const { issuer } = provider;
    if (request.url === '/.well-known/openid-configuration')
      return sendJson(reply, {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
      });
    if (request.url === '/jwks')
      return sendJson(reply, {
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
      });
    return provider.answer(reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: HostileProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (reply) => sendTokens(reply, provider.token()),
    nonce: '',
    token: ({ claims, header, key = privateKey, signature } = {}) => {
      const now = Math.floor(Date.now() / 1_000);
      const usual = { iss: provider.issuer, sub: 'eve', aud: CLIENT.clientId, iat: now, exp: now + 3_600 };
      const parts = [
        { alg: 'RS256', kid: 'one', ...header },
        { ...usual, nonce: provider.nonce, ...claims },
      ];
      const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
      return `${signed}.${signature ?? sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
    },
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
  return provider;
}

/** Answers the exchange of a code with this ID token. */
export function sendTokens(reply: ServerResponse, idToken: string): void {
  sendJson(reply, { access_token: 'x', token_type: 'Bearer', id_token: idToken });
}

export function sendJson(reply: ServerResponse, content: object, status = 200): void {
  reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}
