import type { AddressInfo } from 'node:net';
import { constants } from 'node:zlib';
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import { fastify, type FastifyInstance, type FastifyRequest, type RouteOptions } from 'fastify';
import type { ActionName } from '../../schemas/actions.ts';
import type { App } from '../app.ts';
import type { DashboardSettings } from '../config/config-dashboard.ts';
import { PipelineError, reasonOf } from '../kernel/errors.ts';
import { guardRoutes } from './access/guard.ts';
import { isEncrypted } from './access/cookies.ts';
import { placeOf } from './access/log-in-place.ts';
import { noteRefusals } from './access/note-refusals.ts';
import { answerErrors } from './answer-errors.tsx';
import { serveAssets } from './assets.ts';
import type { WebContext } from './web-context.ts';
import { openDropLister } from './live/list-drops.ts';
import { openLive } from './live/open-live.ts';
import { ROUTES } from './routes.ts';
import { openShell } from './shell/read-shell.ts';
import ajv from '@fastify/ajv-compiler';
import stringifier from '@fastify/fast-json-stringify-compiler';

type DashboardServer = {
  readonly url: string;
  readonly routes: readonly DashboardRoute[];
  close(): Promise<void>;
};

export type DashboardRoute = { readonly method: string; readonly path: string; readonly may: ActionName | 'anybody' };

/**
 * Compresses pages, styles, scripts and JSON. Downloads stay as they are: programs compare their length. Compressed
 * requests are refused, because a small one could unpack to any size.
 */
const COMPRESSION: FastifyCompressOptions = {
  globalDecompression: false,
  encodings: ['br', 'gzip'],
  customTypes: /^(?:text\/(?:html|css|javascript)|application\/json|image\/svg\+xml)/,
  // Higher levels take longer than they save on a page that is made anew each time.
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
};

/** Maximum bytes of a form; dropped files are streams with their own limit. */
const FORM_BYTES = 256 * 1024;

/**
 * Opens the dashboard in the browser.
 * @throws PipelineError CONFIG_INVALID when the address is taken or is not one of this host
 */
export async function openDashboard(app: App, settings: DashboardSettings): Promise<DashboardServer> {
  const context: WebContext = { app, settings, drops: openDropLister(app) };
  app.waiting.show();
  const server = makeServer(settings);
  const listRoutes = noteRoutes(server);
  await server.register(helmet, policyOf(context));
  await server.register(compress, COMPRESSION);
  await server.register(cookie);
  await server.register(formbody, { bodyLimit: FORM_BYTES });
  const keyGenerator = async (request: FastifyRequest) => (await placeOf(context, request)).place;
  await server.register(rateLimit, { global: false, keyGenerator });
  guardRoutes(server, context);
  noteRefusals(server, context);
  answerErrors(server, context);
  await server.register(serveAssets);
  openShell(server, context);
  const live = openLive(server, context);
  for (const hang of ROUTES) await server.register(async (scope) => hang(scope, context));
  await listen(server, settings);
  return {
    url: urlOf(server, settings),
    routes: listRoutes(),
    close: async () => {
      live.close();
      await server.close();
    },
  };
}

/** @returns lists the routes with their permissions; call it last, because later hooks may still change a route */
function noteRoutes(server: FastifyInstance): () => DashboardRoute[] {
  const noted: RouteOptions[] = [];
  server.addHook('onRoute', (route) => void noted.push(route));
  return () =>
    noted.flatMap(({ method, url: path, config }) =>
      [method].flat().map((one) => ({ method: one, path, may: config?.may ?? 'look' })),
    );
}

function makeServer({ tls, trustedProxies }: DashboardSettings): FastifyInstance {
  const options = {
    logger: false,
    forceCloseConnections: true,
    requestTimeout: 0,
    bodyLimit: FORM_BYTES,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    schemaController: { compilersFactory: COMPILE_LAZILY },
  };
  // A TLS server's type differs only in the socket, which is not used here.
  return tls ? (fastify({ ...options, https: { ...tls, minVersion: 'TLSv1.2' } }) as never) : fastify(options);
}

/** Allows no content from elsewhere, no inline scripts or styles, and no framing by other pages. */
function policyOf(context: WebContext) {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'same-origin' as const },
    frameguard: { action: 'deny' as const },
    hsts: isEncrypted(context) ? { maxAge: 31_536_000 } : false,
  };
}

async function listen(server: FastifyInstance, { listen: { host, port } }: DashboardSettings): Promise<void> {
  await server.listen({ host, port }).catch(async (error: unknown) => {
    await server.close();
    const next = 'Choose another port or host for the dashboard (dashboard.listen), or "off".';
    throw new PipelineError('CONFIG_INVALID', `listen on "${host}:${port}"`, reasonOf(error), { cause: error, next });
  });
}

function urlOf(server: FastifyInstance, { url, tls }: DashboardSettings): string {
  if (url !== undefined) return url;
  const { address, family, port } = server.server.address() as AddressInfo;
  return `${tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const buildCheck = ajv();
const buildWriter = stringifier();

/**
 * Compilers that make fastify compile each API schema on first use. Compiling all at once would add 150 ms to every
 * start, even when the API is not used.
 */
export const COMPILE_LAZILY = {
  buildValidator: (...given: Parameters<typeof buildCheck>) => {
    const compile = buildCheck(...given);
    return (route: Parameters<typeof compile>[0]) => {
      let made: ReturnType<typeof compile> | undefined;
      const check = (value: unknown) => {
        made ??= compile(route);
        const isValid = made(value);
        check.errors = made.errors;
        return isValid;
      };
      check.errors = null as ReturnType<typeof compile>['errors'];
      // Fastify only calls the function and reads `errors`; it uses nothing else of an ajv validator.
      return check as unknown as ReturnType<typeof compile>;
    };
  },
  buildSerializer: (...given: Parameters<typeof buildWriter>) => {
    const compile = buildWriter(...given);
    return (route: Parameters<typeof compile>[0]) => {
      let made: ReturnType<typeof compile> | undefined;
      return (value: unknown) => (made ??= compile(route))(value);
    };
  },
};
