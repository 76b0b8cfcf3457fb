import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import rateLimit from '@fastify/rate-limit';
import { fastify, type FastifyInstance } from 'fastify';
import { guardRoutes } from '../../../src/web/access/guard.ts';
import { answerErrors } from '../../../src/web/answer-errors.tsx';
import type { ApiActions } from '../../../src/web/api/actions-api.ts';
import { openApi } from '../../../src/web/api/open-api.tsx';
import type { WebContext } from '../../../src/web/web-context.ts';
import type { DashboardWorld } from './dashboard-world.ts';

/** Opens a dashboard's API with the test's actions, behind the same guard, without a network. */
export async function openTestApi({ app, settings }: DashboardWorld, actions: ApiActions): Promise<FastifyInstance> {
  const dashboard: WebContext = { app, settings: settings.dashboard! };
  const server = fastify();
  await server.register(cookie);
  await server.register(formbody);
  await server.register(rateLimit, { global: false });
  guardRoutes(server, dashboard);
  answerErrors(server, dashboard);
  await server.register(async (scope) => openApi(actions)(scope, dashboard));
  await server.ready();
  return server;
}
