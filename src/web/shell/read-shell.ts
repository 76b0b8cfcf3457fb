import type { FastifyInstance, FastifyRequest } from 'fastify';
import { countNeeds } from '../../explain/needs-you.ts';
import { actorOf, type Shell, type Viewer } from '../access/viewer.ts';
import { cookieName, cookieOptions } from '../access/cookies.ts';
import { fieldOf } from '../access/read-form.ts';
import { localPath } from '../pages/login.tsx';
import { addressOf } from '../parts/address.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { zoneOfViewer } from '../zone-of.ts';

/** Adds the shell to the viewer of every page, and the route by which they choose an account. */
export function openShell(server: FastifyInstance, context: WebContext): void {
  server.addHook('preHandler', async (request) => {
    const { viewer } = request;
    if (viewer && isPage(request)) request.viewer = { ...viewer, shell: await readShell(request, viewer, context) };
  });
  server.post('/account', async (request, reply) => {
    const account = fieldOf(request.body, 'account');
    reply.setCookie(accountCookie(context, request), account, cookieOptions(context));
    return reply.redirect(backFrom(request), 303);
  });
}

function isPage({ headers, viewer, url }: FastifyRequest): boolean {
  const isPerson = viewer?.actions === undefined;
  return isPerson && !url.startsWith('/api/v1') && (headers.accept ?? '').includes('text/html');
}

async function readShell(request: FastifyRequest, viewer: Viewer, context: WebContext): Promise<Shell> {
  const { ledger, settings, clock } = context.app;
  const chosen = request.cookies[accountCookie(context, request)] ?? '';
  return {
    now: clock.now(),
    timeZone: zoneOfViewer(viewer, settings),
    accounts: [...settings.accounts.keys()],
    account: settings.accounts.has(chosen) ? chosen : undefined,
    badges: await countNeeds(ledger, settings, actorOf(viewer)),
  };
}

function accountCookie(context: WebContext, request: FastifyRequest): string {
  return `${cookieName(context, request)}-account`;
}

/** Returns the page on which the choice was made, without a filter of its own that would overrule it. */
function backFrom({ headers: { referer = '' } }: FastifyRequest): string {
  if (!URL.canParse(referer)) return '/';
  const { pathname, searchParams } = new URL(referer);
  searchParams.delete('account');
  return localPath(addressOf(pathname, Object.fromEntries(searchParams)));
}

/** Returns the account to list: the one in the address, otherwise the one chosen for all lists; empty for all. */
export function accountAsked(request: FastifyRequest): string {
  const { query } = request;
  if (typeof query === 'object' && query !== null && 'account' in query) return fieldOf(query, 'account');
  return viewerOf(request).shell?.account ?? '';
}
