import { setTimeout } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { countTry, forgetFailuresAt, noteFailure } from '../../ledger/person/log-in-failures.ts';
import { beginSession, forgetOldSessions } from '../../ledger/person/sessions.ts';
import { readCredentials } from '../../ledger/person/people.ts';
import { isPassword, SHORTEST_PASSWORD } from '../../crypto/password.ts';
import { hashSecretToken, newSecretToken } from '../../crypto/secret-token.ts';
import type { WebContext } from '../web-context.ts';
import { setSessionCookie } from './cookies.ts';
import { describeBrowser, keepBrowserKnown, placeOf } from './log-in-place.ts';

/** The result of trying a password. A wrong name and a wrong password look the same. */
export type Tried =
  | { readonly result: 'right'; readonly person: string }
  | { readonly result: 'wrong' }
  | { readonly result: 'wait'; readonly until: Date };

/**
 * Compares a password, here and wherever a user proves who they are. Each try is counted before it is compared. Wrong ones
 * make a place wait, whether or not a user has the name, so that the wait tells nothing.
 */
export async function tryPassword(
  context: WebContext,
  request: FastifyRequest,
  { name, password }: { name: string; password: string },
): Promise<Tried> {
  const { ledger } = context.app;
  const { place, isKnown } = await placeOf(context, request, name);
  const counted = await countTry(ledger, { name, place });
  if ('waitUntil' in counted) return { result: 'wait', until: counted.waitUntil };
  if (!isKnown) await setTimeout(brakeMs(counted.before));
  const found = await readCredentials(ledger, name);
  if (!(await isPassword(password, found?.password ?? undefined))) {
    await noteFailure(ledger, { name, from: request.ip, isUser: found !== undefined }, counted);
    return { result: 'wrong' };
  }
  await forgetFailuresAt(ledger, { name, place });
  return { result: 'right', person: found!.name };
}

/** Returns when a place may try again, as a sentence. */
export function sayWait(until: Date): string {
  return `Try again after ${until.toISOString().slice(11, 19)} UTC.`;
}

/** Wrong passwords of a day from which a name is guessed from many places. */
const GUESSED = 50;

/**
 * Returns how long a try from an unknown place is delayed, in ms. It slows guessing from many addresses and never refuses
 * the user.
 */
export function brakeMs(today: number): number {
  return today < GUESSED ? 0 : 2_000;
}

/** Gives the browser a new session, never one that it sent. */
export async function openSession(
  context: WebContext,
  reply: FastifyReply,
  { person, by }: { person: string; by: string },
): Promise<void> {
  const token = newSecretToken();
  const { ip: address, headers } = reply.request;
  const session = { person, tokenHash: hashSecretToken(token), csrf: newSecretToken(), by };
  const browser = describeBrowser(headers['user-agent']);
  await beginSession(context.app.ledger, { ...session, address, browser });
  await forgetOldSessions(context.app.ledger, context.settings);
  setSessionCookie(reply, context, token);
  await keepBrowserKnown(context, reply, person);
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
