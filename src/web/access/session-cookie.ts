import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Desk } from '../desk.ts';

/**
 * The cookie of a session. Over HTTPS its name begins with `__Host-`, so that browsers take it from this very host only;
 * over plain HTTP, which there is on this host alone, they would refuse such a name.
 */
export function cookieName({ settings }: Desk): string {
  return isEncrypted({ settings }) ? '__Host-paydrop' : 'paydrop';
}

/** Whether people reach the desk over HTTPS. */
export function isEncrypted({ settings }: Pick<Desk, 'settings'>): boolean {
  return settings.tls !== undefined || settings.trustedProxies.length > 0;
}

export function readSessionToken(request: FastifyRequest, desk: Desk): string | undefined {
  return request.cookies[cookieName(desk)];
}

/** Without an end of its own: it goes with the browser, and its limits stand in the ledger. */
export function setSessionCookie(reply: FastifyReply, desk: Desk, token: string): void {
  reply.setCookie(cookieName(desk), token, cookieOptions(desk));
}

export function clearSessionCookie(reply: FastifyReply, desk: Desk): void {
  reply.clearCookie(cookieName(desk), cookieOptions(desk));
}

/** How every cookie of the desk is kept. @param path where the browser sends it along */
export function cookieOptions(desk: Desk, path = '/') {
  // Lax and not strict: a link in an alarm mail shall not ask for the password of somebody who is logged in. What changes
  // anything is a POST, which lax does not accompany, and asks for the token of the form besides.
  return { path, httpOnly: true, secure: isEncrypted(desk), sameSite: 'lax' } as const;
}
