import type { FastifyReply } from 'fastify';
import { beginSession, forgetOldSessions, LONGEST_WAIT_MS, noteFailure } from '../../ledger/person/sessions.ts';
import { waitLeftMs } from '../../calendar/wait-left.ts';
import { readCredentials } from '../../ledger/person/people.ts';
import { isPassword } from '../../crypto/password.ts';
import { hashSecretToken, newSecretToken } from '../../crypto/secret-token.ts';
import type { WebContext } from '../web-context.ts';
import { setSessionCookie } from './session-cookie.ts';

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
