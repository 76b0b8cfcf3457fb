import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ACTIONS, mayDo } from '../../../schemas/actions.ts';
import { mustNotHoldNumber } from '../../explain/search.ts';
import { storableText } from '../../ledger/engine/storable-text.ts';
import { useApiToken } from '../../ledger/person/api-tokens.ts';
import { useSession } from '../../ledger/person/sessions.ts';
import { hashSecretToken, unmaskToken } from '../../crypto/secret-token.ts';
import type { WebContext } from '../web-context.ts';
import { fieldsOf } from './read-form.ts';
import { Refusal } from './refusal.ts';
import { readSessionToken } from './cookies.ts';
import { type Viewer, viewerMay } from './viewer.ts';

/**
 * Guards every route. Checks the host name, who sends the request, their permission, and that a form came from the
 * dashboard's own page. A route declares its permission in `config.may`; without one it needs a log-in.
 */
export function guardRoutes(server: FastifyInstance, context: WebContext): void {
  server.decorateRequest('viewer', null);
  const countWrong = server.createRateLimit(WRONG_TOKENS);
  server.addHook('onRequest', async (request) => {
    mustNameThisHost(request, context);
    mustComeFromHere(request);
    mustBeText(request);
    const { authorization } = request.headers;
    if (isOfApi(request) && authorization !== undefined) {
      request.viewer = await recogniseProgram(authorization, context);
      if (request.viewer === null) throw new Refusal(await refusalOfToken(countWrong(request)));
    } else {
      request.viewer = await recognisePerson(request, context);
    }
    mustNotSearchNumber(request);
    mustBeAllowed(request);
  });
  // The body is known only after it is parsed; a schema would complain of it in other words.
  server.addHook('preValidation', async ({ body }) => mustHoldText(body));
  server.addHook('preHandler', async (request) => mustBringToken(request));
}

/** Limit of wrong tokens per address in ten minutes. Valid tokens still work, because others may share the address. */
const WRONG_TOKENS = { max: 60, timeWindow: 600_000 };

/**
 * Tells whether API tokens work: for the API only, so that a token cannot reach the pages that create tokens. The
 * matched route decides, not the spelling of the address.
 */
function isOfApi({ url, routeOptions }: FastifyRequest): boolean {
  return (routeOptions.url ?? url).startsWith('/api/');
}

const BEARER = /^Bearer ([\w-]{43})$/;

async function recogniseProgram(authorization: string, { app }: WebContext): Promise<Viewer | null> {
  const [, token] = BEARER.exec(authorization) ?? [];
  const found = token === undefined ? undefined : await useApiToken(app.ledger, hashSecretToken(token));
  return found ? { ...found, csrf: '' } : null;
}

/** Counts invalid tokens, so that guesses cannot keep the ledger busy. */
async function refusalOfToken(counted: ReturnType<CountTries>): Promise<'TOO_MANY_TRIES' | 'NOT_LOGGED_IN'> {
  const count = await counted;
  return 'isExceeded' in count && count.isExceeded ? 'TOO_MANY_TRIES' : 'NOT_LOGGED_IN';
}

type CountTries = ReturnType<FastifyInstance['createRateLimit']>;

async function recognisePerson(request: FastifyRequest, context: WebContext): Promise<Viewer | null> {
  const token = readSessionToken(request, context);
  if (token === undefined) return null;
  // What a page fetches on its own does not show that a person is there.
  const isPerson = request.headers['x-live'] === undefined;
  const found = await useSession(context.app.ledger, hashSecretToken(token), context.settings, { isPerson });
  if (!found) return null;
  const { person, role, csrf, provedAt, settings, by, hasFactor } = found;
  const mustSetUp = context.settings.secondFactor === 'required' && by !== 'openid' && !hasFactor;
  return { person, role, csrf, actions: undefined, provedAt, settings, mustSetUp };
}

/** Where a user sets up their second factor, and proves who they are for that. */
const SET_UP_PATHS = /^\/me\/(?:second-factor|prove)/;

function mustBeAllowed(request: FastifyRequest): void {
  const { may = 'look' } = request.routeOptions.config;
  if (may === 'anybody') return;
  if (request.viewer === null) throw new Refusal('NOT_LOGGED_IN');
  const { url = '' } = request.routeOptions;
  if (request.viewer.mustSetUp && !SET_UP_PATHS.test(url)) throw new Refusal('FACTOR_NEEDED');
  if (viewerMay(request.viewer, may)) return;
  const { label } = ACTIONS[may];
  throw new Refusal('NOT_ALLOWED', mayDo(request.viewer.role, may) ? TOKEN_LACKS.replace('?', label) : undefined);
}

/** For a program whose user may do more than its token. */
const TOKEN_LACKS = 'This token lacks the permission "?". Make one that has it on the page of your account.';

/**
 * Checks once more that the user of a session may do this, at the end of a long request.
 * @throws Refusal NOT_LOGGED_IN, NOT_ALLOWED
 */
export async function mustStillBeAllowed(request: FastifyRequest, context: WebContext): Promise<void> {
  request.viewer = await recognisePerson(request, context);
  mustBeAllowed(request);
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Checks the form token. Programs need none, because a foreign page cannot use an API token. Routes for `anybody` need
 * none, so that logging in again on an old page works. `mustComeFromHere` has already checked the origin.
 */
function mustBringToken(request: FastifyRequest): void {
  const { viewer } = request;
  if (viewer === null || viewer.actions !== undefined || SAFE_METHODS.has(request.method)) return;
  if (request.routeOptions.config.may === 'anybody') return;
  const brought = request.headers['x-csrf-token'] ?? formToken(request.body);
  if (typeof brought !== 'string' || !isEqual(unmaskToken(brought), viewer.csrf)) throw new Refusal('STRANGE_FORM');
}

function formToken(body: unknown): unknown {
  return typeof body === 'object' && body !== null && '_csrf' in body ? body._csrf : undefined;
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * Rejects a host name that leads here but is not the dashboard's: a foreign page could reach it by DNS rebinding. IP
 * addresses cannot be rebound.
 */
function mustNameThisHost(request: FastifyRequest, { settings }: WebContext): void {
  const wanted = settings.url === undefined ? undefined : new URL(settings.url).hostname;
  const { hostname } = request;
  if (hostname === wanted || hostname === settings.listen.host || LOCAL_NAMES.has(hostname)) return;
  // Without `url`, an IP address is accepted on a network, a name is not, not even one of hexadecimal letters.
  if (wanted === undefined && isIP(hostname.replace(/^\[(.*)\]$/, '$1')) > 0) return;
  throw new Refusal('STRANGE_HOST');
}

const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Rejects changes from another site. Browsers name the page behind each change; programs send no such header. */
function mustComeFromHere(request: FastifyRequest): void {
  if (SAFE_METHODS.has(request.method)) return;
  const { origin } = request.headers;
  mustNotBeForeign(request);
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== request.host))
    throw new Refusal('STRANGE_FORM');
}

/**
 * Rejects a request that a page of another site makes a browser send.
 * @throws Refusal STRANGE_FORM
 */
export function mustNotBeForeign({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Refusal('STRANGE_FORM');
}

const SEARCHES: ReadonlySet<string | undefined> = new Set(['/search', '/api/v1/search']);

/** Refuses to search for a long number before anything else is done, so that no log-in takes its address along. */
function mustNotSearchNumber({ routeOptions, query }: FastifyRequest): void {
  if (!SEARCHES.has(routeOptions.url)) return;
  for (const words of fieldsOf(query, 'q')) mustNotHoldNumber(words);
}

/** Rejects an address that is no text: no page of the dashboard links to one, and the ledger cannot store it. */
function mustBeText({ url, query, params }: FastifyRequest): void {
  const [, asked = ''] = /\?(.*)$/s.exec(url) ?? [];
  if (!canDecode(asked)) throw new Refusal('BAD_REQUEST');
  for (const part of [query, params]) mustHoldText(part);
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Rejects a value with a NUL or half a character in any of its texts. Streams and bytes of files are not looked at. */
function mustHoldText(value: unknown): void {
  // A list, not a recursion: a body may be nested deeper than the stack.
  const parts = [value];
  while (parts.length > 0) {
    const part = parts.pop();
    if (typeof part === 'string' && storableText(part) !== part) throw new Refusal('BAD_REQUEST');
    if (typeof part !== 'object' || part === null || part instanceof Readable || ArrayBuffer.isView(part)) continue;
    for (const [name, inner] of Object.entries(part)) parts.push(name, inner);
  }
}
