import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebContext } from '../web-context.ts';

/**
 * Returns the name of the session cookie. Over HTTPS the prefix `__Host-` makes browsers accept it from this host only.
 * Over plain HTTP, used on this host only, browsers would refuse that prefix.
 */
export function cookieName({ settings }: WebContext): string {
  return isEncrypted({ settings }) ? '__Host-paydrop' : 'paydrop';
}

/** Returns whether users reach the dashboard over HTTPS. */
export function isEncrypted({ settings }: Pick<WebContext, 'settings'>): boolean {
  return settings.tls !== undefined || settings.trustedProxies.length > 0;
}

export function readSessionToken(request: FastifyRequest, context: WebContext): string | undefined {
  return request.cookies[cookieName(context)];
}

/** Sets the cookie without an expiry: it ends with the browser session, and the ledger keeps its limits. */
export function setSessionCookie(reply: FastifyReply, context: WebContext, token: string): void {
  reply.setCookie(cookieName(context), token, cookieOptions(context));
}

export function clearSessionCookie(reply: FastifyReply, context: WebContext): void {
  reply.clearCookie(cookieName(context), cookieOptions(context));
}

/** Returns the options of every dashboard cookie. @param path where the browser sends it */
export function cookieOptions(context: WebContext, path = '/') {
  // Lax, not strict, so that a link in an alarm mail does not make a logged-in user log in again. Changes are POSTs,
  // for which lax sends no cookie; they need the form's token as well.
  return { path, httpOnly: true, secure: isEncrypted(context), sameSite: 'lax' } as const;
}
