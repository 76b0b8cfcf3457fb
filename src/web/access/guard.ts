import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { useApiToken } from '../../ledger/person/api-tokens.ts';
import { useSession } from '../../ledger/person/sessions.ts';
import { hashSecretToken } from '../../crypto/secret-token.ts';
import type { Desk } from '../desk.ts';
import { Refusal } from './refusal.ts';
import { readSessionToken } from './session-cookie.ts';
import { type Viewer, viewerMay } from './viewer.ts';

/**
 * Stands before every route: whom it is asked by name, who asks, whether he may, and whether it was his own page that
 * sent the form. A route says in its `config.may` what it takes; one that says nothing wants somebody who is logged in.
 */
export function guardRoutes(server: FastifyInstance, desk: Desk): void {
  server.decorateRequest('viewer', null);
  const countWrong = server.createRateLimit(WRONG_TOKENS);
  server.addHook('onRequest', async (request) => {
    mustNameThisHost(request, desk);
    mustComeFromHere(request);
    const { authorization } = request.headers;
    if (isOfApi(request) && authorization !== undefined) {
      request.viewer = await recogniseProgram(authorization, desk);
      if (request.viewer === null) throw new Refusal(await refusalOfToken(countWrong(request)));
    } else {
      request.viewer = await recognisePerson(request, desk);
    }
    mustBeAllowed(request);
  });
  // Forms are known only when they are read.
  server.addHook('preHandler', async (request) => mustBringToken(request));
}

/** Wrong tokens of one address in ten minutes. A right one is taken all the same: others may stand behind the address. */
const WRONG_TOKENS = { max: 60, timeWindow: 600_000 };

/**
 * Tokens are good for the API and nothing else: with one, nobody reaches the pages on which tokens are made. What counts is
 * the route that answers, not how its address was written.
 */
function isOfApi({ url, routeOptions }: FastifyRequest): boolean {
  return (routeOptions.url ?? url).startsWith('/api/');
}

/** What a program shows instead of a cookie. */
const BEARER = /^Bearer ([\w-]{43})$/;

async function recogniseProgram(authorization: string, { app }: Desk): Promise<Viewer | null> {
  const [, token] = BEARER.exec(authorization) ?? [];
  const found = token === undefined ? undefined : await useApiToken(app.ledger, hashSecretToken(token));
  return found ? { ...found, csrf: '' } : null;
}

/** A token that is not good counts, so that nobody keeps the ledger busy with guesses. */
async function refusalOfToken(counted: ReturnType<CountTries>): Promise<'TOO_MANY_TRIES' | 'NOT_LOGGED_IN'> {
  const count = await counted;
  return 'isExceeded' in count && count.isExceeded ? 'TOO_MANY_TRIES' : 'NOT_LOGGED_IN';
}

type CountTries = ReturnType<FastifyInstance['createRateLimit']>;

async function recognisePerson(request: FastifyRequest, desk: Desk): Promise<Viewer | null> {
  const token = readSessionToken(request, desk);
  if (token === undefined) return null;
  // What a page fetches by itself is no sign that somebody sits before it.
  const isPerson = request.headers['x-live'] === undefined && !request.routeOptions.config.isPolled;
  const found = await useSession(desk.app.ledger, hashSecretToken(token), desk.settings, { isPerson });
  return found ? { person: found.person, role: found.role, csrf: found.csrf, deeds: undefined } : null;
}

function mustBeAllowed(request: FastifyRequest): void {
  const { may = 'look' } = request.routeOptions.config;
  if (may === 'anybody') return;
  if (request.viewer === null) throw new Refusal('NOT_LOGGED_IN');
  if (!viewerMay(request.viewer, may)) throw new Refusal('NOT_ALLOWED');
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A token of the API cannot be ridden by a strange page, so it needs no second one. Nor does what anybody may send: to log
 * in again on a page that was opened before. That it came from here was looked at already.
 */
function mustBringToken(request: FastifyRequest): void {
  const { viewer } = request;
  if (viewer === null || viewer.deeds !== undefined || SAFE_METHODS.has(request.method)) return;
  if (request.routeOptions.config.may === 'anybody') return;
  const brought = request.headers['x-csrf-token'] ?? formToken(request.body);
  if (typeof brought !== 'string' || !isEqual(brought, viewer.csrf)) throw new Refusal('STRANGE_FORM');
}

function formToken(body: unknown): unknown {
  return typeof body === 'object' && body !== null && '_csrf' in body ? body._csrf : undefined;
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * A name that leads here although it is not ours is how a strange page reaches a server of this host (DNS rebinding). The
 * numbers of this host cannot be rebound.
 */
function mustNameThisHost(request: FastifyRequest, { settings }: Desk): void {
  const wanted = settings.url === undefined ? undefined : new URL(settings.url).hostname;
  const { hostname } = request;
  if (hostname === wanted || hostname === settings.listen.host || LOCAL_NAMES.has(hostname)) return;
  // Listening for a network without `url`: by number is fine, by a name that nobody told is not.
  if (wanted === undefined && /^[\d.]+$|^\[?[\da-f:]+\]?$/i.test(hostname)) return;
  throw new Refusal('STRANGE_HOST');
}

const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Browsers say of each request that changes something which page made it; programs say nothing. */
function mustComeFromHere(request: FastifyRequest): void {
  if (SAFE_METHODS.has(request.method)) return;
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Refusal('STRANGE_FORM');
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== request.host))
    throw new Refusal('STRANGE_FORM');
}
