import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecretToken, newSecretToken } from '../../crypto/secret-token.ts';
import { findKnownBrowser, KNOWN_DAYS, rememberBrowser } from '../../ledger/person/log-in-failures.ts';
import type { WebContext } from '../web-context.ts';
import { cookieOptions, withPort } from './cookies.ts';

/** Where a log-in is tried, as wrong passwords are counted. */
export type Place = { readonly place: string; readonly isKnown: boolean };

/**
 * Returns the place of a request: the browser, if this user has logged in with it before, or else the address. So a
 * colleague behind the same address cannot make the user wait.
 * @param name of the user; undefined for any
 */
export async function placeOf(context: WebContext, request: FastifyRequest, name?: string): Promise<Place> {
  const token = request.cookies[withPort(COOKIE, request)];
  const tokenHash = token === undefined ? undefined : hashSecretToken(token);
  const person = tokenHash && (await findKnownBrowser(context.app.ledger, tokenHash));
  const isKnown = person !== undefined && (name === undefined || person === name);
  return { place: isKnown ? `browser:${tokenHash!.toString('hex')}` : networkOf(request.ip), isKnown };
}

const COOKIE = 'paydrop-known';

/** Gives the browser a secret by which paydrop knows it where a password is asked for. It opens nothing. */
export async function keepBrowserKnown(context: WebContext, reply: FastifyReply, person: string): Promise<void> {
  const name = withPort(COOKIE, reply.request);
  const brought = reply.request.cookies[name];
  const token = newSecretToken();
  const instead = brought === undefined ? undefined : hashSecretToken(brought);
  await rememberBrowser(context.app.ledger, { person, tokenHash: hashSecretToken(token), instead });
  reply.setCookie(name, token, { ...cookieOptions(context), maxAge: KNOWN_DAYS * 86_400 });
}

/** Returns an IPv4 address, or the network of an IPv6 address: its holder can use any of the 2^64 addresses in it. */
export function networkOf(address: string): string {
  const four = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (four !== undefined || isIP(address) !== 6) return four ?? address;
  const [head = '', tail] = address.split('::');
  const [left, right] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const network = [...left, ...zeros, ...right].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Browsers name themselves and those that they resemble, so the first that fits is taken. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Returns what a browser says of itself as `Firefox on Windows`; its own words are not kept, because they may be long. */
export function describeBrowser(userAgent = ''): string {
  const [family = 'another program', system] = [FAMILIES, SYSTEMS].map(
    (names) => names.find(([pattern]) => pattern.test(userAgent))?.[1],
  );
  return system === undefined ? family : `${family} on ${system}`;
}
