import type { FastifyReply, FastifyRequest } from 'fastify';
import { beginSession, forgetOldSessions, LONGEST_WAIT_MS, noteFailure } from '../../ledger/person/sessions.ts';
import { waitLeftMs } from '../../calendar/wait-left.ts';
import { readCredentials } from '../../ledger/person/people.ts';
import { isPassword, SHORTEST_PASSWORD } from '../../crypto/password.ts';
import { hashSecretToken, newSecretToken } from '../../crypto/secret-token.ts';
import type { WebContext } from '../web-context.ts';

/** The result of a log-in attempt. A wrong name and a wrong password look the same. */
export type LogIn = { readonly result: 'in' } | { readonly result: 'wrong' } | { readonly result: 'wait'; until: Date };

/** @param from client address, for the audit trail */
export async function logIn(
  context: WebContext,
  reply: FastifyReply,
  { name, password, from }: { name: string; password: string; from: string },
): Promise<LogIn> {
  const { ledger, clock } = context.app;
  const found = await readCredentials(ledger, name);
  const waitMs = waitLeftMs(found?.lockedUntil ?? null, clock.now(), LONGEST_WAIT_MS);
  if (waitMs > 0) return { result: 'wait', until: found!.lockedUntil! };
  if (!(await isPassword(password, found?.password ?? undefined))) {
    if (found) await noteFailure(ledger, name, from);
    return { result: 'wrong' };
  }
  await openSession(context, reply, { person: found!.name, by: 'password' });
  return { result: 'in' };
}

/** Gives the browser a new session, never one that it sent. */
export async function openSession(
  context: WebContext,
  reply: FastifyReply,
  { person, by }: { person: string; by: string },
): Promise<void> {
  const token = newSecretToken();
  const session = { person, tokenHash: hashSecretToken(token), csrf: newSecretToken(), by };
  await beginSession(context.app.ledger, session);
  await forgetOldSessions(context.app.ledger, context.settings);
  setSessionCookie(reply, context, token);
}

/**
 * Returns the name of the session cookie. Over HTTPS the prefix `__Host-` makes browsers accept it from this host only.
 * Over plain HTTP, used on this host only, browsers would refuse that prefix.
 */
export function cookieName({ settings }: WebContext, request: Pick<FastifyRequest, 'port'>): string {
  return withPort(isEncrypted({ settings }) ? '__Host-paydrop' : 'paydrop', request);
}

/**
 * Adds the port that the browser sees to the name of a cookie. Browsers send cookies to every port of a host, so two
 * dashboards there would log each other out.
 */
export function withPort(name: string, { port }: Pick<FastifyRequest, 'port'>): string {
  return port === null ? name : `${name}-${port}`;
}

/** Returns whether users reach the dashboard over HTTPS. */
export function isEncrypted({ settings }: Pick<WebContext, 'settings'>): boolean {
  return settings.tls !== undefined || settings.trustedProxies.length > 0;
}

export function readSessionToken(request: FastifyRequest, context: WebContext): string | undefined {
  return request.cookies[cookieName(context, request)];
}

/** Sets the cookie without an expiry: it ends with the browser session, and the ledger keeps its limits. */
export function setSessionCookie(reply: FastifyReply, context: WebContext, token: string): void {
  reply.setCookie(cookieName(context, reply.request), token, cookieOptions(context));
}

export function clearSessionCookie(reply: FastifyReply, context: WebContext): void {
  reply.clearCookie(cookieName(context, reply.request), cookieOptions(context));
}

/** Returns the options of every dashboard cookie. @param path where the browser sends it */
export function cookieOptions(context: WebContext, path = '/') {
  // Lax, not strict, so that a link in an alarm mail does not make a logged-in user log in again. Changes are POSTs,
  // for which lax sends no cookie; they need the form's token as well.
  return { path, httpOnly: true, secure: isEncrypted(context), sameSite: 'lax' } as const;
}

/** Longest password that is hashed; hashing longer ones would only keep the server busy. */
const LONGEST = 256;

/** Returns the fault of a new password; undefined when it is fine. No digit or symbol rules: they make bad ones. */
export function findPasswordFault(
  password: string,
  { name, repeated }: { name: string; repeated: string },
): string | undefined {
  if (password.length < SHORTEST_PASSWORD) return `Use at least ${SHORTEST_PASSWORD} characters.`;
  if (password.length > LONGEST) return `Use at most ${LONGEST} characters.`;
  if (new Set(password).size < 5) return 'Use more than four different characters.';
  if (name !== '' && password.toLowerCase().replaceAll(/[^a-z]/g, '') === name.replaceAll(/[^a-z]/g, ''))
    return 'Do not use your name.';
  if (password !== repeated) return 'The two passwords differ.';
  return undefined;
}
