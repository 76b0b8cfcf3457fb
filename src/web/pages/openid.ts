import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PipelineError } from '../../kernel/errors.ts';
import { usePersonLink } from '../../ledger/person/invite-person.ts';
import { findBySubject, readStartPage } from '../../ledger/person/people.ts';
import { hashSecretToken } from '../../crypto/secret-token.ts';
import { cookieOptions, withPort } from '../access/cookies.ts';
import { openSession } from '../access/log-in.ts';
import { findProvider, notLoggedIn, readSubject } from '../access/openid-provider.ts';
import { proveSession } from '../access/step-up.ts';
import { fieldOf } from '../access/read-form.ts';
import { addressOf, type WebContext } from '../web-context.ts';
import { localPath } from './login.tsx';
import * as client from 'openid-client';

const TRIES = { max: 60, timeWindow: 600_000 };

/**
 * Serves `/login/openid`: to the provider and back. A provider account alone opens nothing: the user must first follow
 * a set-up link through the provider.
 */
export function openIdPages(server: FastifyInstance, context: WebContext): void {
  const config = { may: 'anybody', rateLimit: TRIES } as const;

  server.get('/login/openid', { config }, async (request, reply) =>
    sendToProvider(context, request, reply, {
      next: localPath(fieldOf(request.query, 'next')),
      link: fieldOf(request.query, 'link'),
      again: fieldOf(request.query, 'again'),
    }),
  );

  server.get('/login/openid/callback', { config }, async (request, reply) => {
    const { subject, journey } = await readReturn(context, request, reply);
    const person =
      journey.link === ''
        ? (await findBySubject(context.app.ledger, subject))?.name
        : await usePersonLink(context.app.ledger, hashSecretToken(journey.link), { subject });
    if (person === undefined) {
      const next = 'Ask an administrator of the dashboard for a link, and follow it once.';
      throw new PipelineError('USAGE', 'log you in', 'no user here has your account of the provider', { next });
    }
    if (journey.again !== '' && request.viewer?.person === person) await proveSession(context, request);
    else await openSession(context, reply, { person, by: 'openid' });
    const next = localPath(journey.next);
    return reply.redirect(next === '/' ? await readStartPage(context.app.ledger, person) : next);
  });
}

/** What the browser remembers while the user is at the provider. */
type Journey = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly next: string;
  /** Secret of the link that the user follows; empty for a plain log-in. */
  readonly link: string;
  /** Not empty when a user who is logged in proves again who they are. */
  readonly again: string;
};

const PATH = '/login/openid';
const CALLBACK = `${PATH}/callback`;
const COOKIE = 'paydrop-openid';

/** How long the user may be away, in seconds. */
const AWAY_S = 600;

/** Sends the user to the provider. Only the browser that set out can use the answer. */
async function sendToProvider(
  context: WebContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { next, link, again }: Pick<Journey, 'next' | 'link' | 'again'>,
): Promise<FastifyReply> {
  const provider = await providerOf(context);
  const journey: Journey = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    next,
    link,
    again,
  };
  const url = client.buildAuthorizationUrl(provider, {
    redirect_uri: callbackOf(context, request),
    scope: 'openid',
    state: journey.state,
    nonce: journey.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(journey.verifier),
    code_challenge_method: 'S256',
    // The provider must ask for the password, too, although its own session may still be open.
    ...(again !== '' && { max_age: '0' }),
  });
  const value = Buffer.from(JSON.stringify(journey)).toString('base64url');
  const options = { ...cookieOptions(context, PATH), maxAge: AWAY_S };
  return reply.setCookie(withPort(COOKIE, request), value, options).redirect(url.href);
}

/**
 * Returns who came back from the provider: issuer and subject, which do not change with the user's name or address.
 * @throws PipelineError USAGE when the user did not set out from here, was refused, or the answer is not genuine
 */
async function readReturn(
  context: WebContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ subject: string; journey: Journey }> {
  const cookie = withPort(COOKIE, request);
  const journey = readJourney(request.cookies[cookie]);
  if (!journey) throw notLoggedIn('this browser did not start this log-in, or it took too long');
  // The cookie stays for the log-in that began later.
  if (fieldOf(request.query, 'state') !== journey.state)
    throw notLoggedIn('this browser has since begun another log-in, perhaps in another tab');
  void reply.clearCookie(cookie, cookieOptions(context, PATH));
  const came = new URL(callbackOf(context, request));
  came.search = new URL(request.url, came).search;
  const check = { ...journey, isAgain: journey.again !== '' };
  return { subject: await readSubject(await providerOf(context), came, check, context.app.clock), journey };
}

function providerOf({ settings: { openid } }: WebContext): Promise<client.Configuration> {
  if (openid) return findProvider(openid);
  throw new PipelineError('NOT_FOUND', 'log in by OpenID Connect', 'dashboard.openid is not configured');
}

function callbackOf(context: WebContext, request: FastifyRequest): string {
  return `${addressOf(context, request)}${CALLBACK}`;
}

function readJourney(cookie: string | undefined): Journey | undefined {
  if (cookie === undefined) return undefined;
  try {
    const found: unknown = JSON.parse(Buffer.from(cookie, 'base64url').toString());
    return isJourney(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isJourney(found: unknown): found is Journey {
  if (typeof found !== 'object' || found === null) return false;
  const names = ['state', 'nonce', 'verifier', 'next', 'link', 'again'];
  return names.every((name) => typeof (found as Record<string, unknown>)[name] === 'string');
}
