import type { FastifyRequest } from 'fastify';
import { hashSecretToken } from '../../crypto/secret-token.ts';
import { readCredentials } from '../../ledger/person/people.ts';
import { AHEAD_MS, noteProof } from '../../ledger/person/sessions.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { readSessionToken } from './cookies.ts';
import { sayWait, tryPassword } from './log-in.ts';
import { Refusal } from './refusal.ts';
import type { Viewer } from './viewer.ts';

/** How a user can prove who they are: by their password, or at their OpenID provider. */
export type ProofWanted = { readonly by: 'password' } | { readonly by: 'openid'; readonly label: string };

/**
 * Returns whether a user must prove who they are again before an action that moves money or cannot be undone: someone
 * else may have found their browser open. A program has no browser.
 */
export function needsProof({ actions, provedAt }: Viewer, { app, settings }: WebContext): boolean {
  if (actions !== undefined) return false;
  const ageMs = app.clock.now().getTime() - (provedAt?.getTime() ?? 0);
  // A proof from the future was made under a wrong clock.
  return ageMs >= settings.proofMs || ageMs < -AHEAD_MS;
}

/** @throws Refusal PROOF_NEEDED */
export function mustBeProved(viewer: Viewer, context: WebContext): void {
  if (needsProof(viewer, context)) throw new Refusal('PROOF_NEEDED');
}

/** Returns the proof that is wanted of a user now; undefined when none is. */
export async function findProofWanted(viewer: Viewer, context: WebContext): Promise<ProofWanted | undefined> {
  if (!needsProof(viewer, context)) return undefined;
  const { openid } = context.settings;
  const found = await readCredentials(context.app.ledger, viewer.person);
  return openid && found?.password === null ? { by: 'openid', label: openid.label } : { by: 'password' };
}

/**
 * Notes that the user of this session has proved who they are, if the password is theirs.
 * @returns what is wrong; undefined when nothing is
 */
export async function proveByPassword(
  context: WebContext,
  request: FastifyRequest,
  password: string,
): Promise<string | undefined> {
  if (password === '') return 'Enter your password.';
  const tried = await tryPassword(context, request, { name: viewerOf(request).person, password });
  if (tried.result === 'wait') return `Too many wrong passwords. ${sayWait(tried.until)}`;
  if (tried.result === 'wrong') return 'This password is wrong.';
  await proveSession(context, request);
  return undefined;
}

/** Notes that the user of this session has just proved who they are. */
export async function proveSession(context: WebContext, request: FastifyRequest): Promise<void> {
  const { ledger } = context.app;
  await noteProof(ledger, hashSecretToken(readSessionToken(request, context) ?? ''));
}
