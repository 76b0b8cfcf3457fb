import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebContext } from '../web-context.ts';

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
