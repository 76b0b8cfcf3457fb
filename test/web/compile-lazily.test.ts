import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { COMPILE_LAZILY } from '../../src/web/open-dashboard.tsx';
import type { WebContext } from '../../src/web/web-context.ts';
import { ROUTES } from '../../src/web/routes.ts';

const SCHEMA = {
  querystring: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] },
  response: { 200: { type: 'object', properties: { page: { type: 'integer' } } } },
};

function serve(schema: object) {
  const server = fastify({ schemaController: { compilersFactory: COMPILE_LAZILY } });
  server.get('/rows', { schema }, async ({ query }) => ({ ...(query as object), secret: 'left out' }));
  return server;
}

describe('COMPILE_LAZILY', () => {
  it('checks and converts what comes, and says again and again what is wrong with it', async () => {
    const server = serve(SCHEMA);
    for (const wrong of ['/rows?page=first', '/rows?page=last']) {
      const answer = await server.inject(wrong);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ message: 'querystring/page must be integer' });
    }
    expect((await server.inject('/rows')).json()).toMatchObject({
      message: "querystring must have required property 'page'",
    });
  });

  it('answers with what the schema names', async () => {
    expect((await serve(SCHEMA).inject('/rows?page=7')).json()).toEqual({ page: 7 });
  });

  it('compiles nothing before it is used', async () => {
    const server = serve({ querystring: { type: 'no such type' } });
    await server.ready();
    expect((await server.inject('/rows')).statusCode).toBe(500);
  });

  it('is given nothing by the routes that does not compile, which no start would tell', async () => {
    const dashboard = { app: { queue: { boardQueues: () => [] } }, settings: {} } as unknown as WebContext;
    const server = fastify();
    for (const hang of ROUTES) await server.register(async (scope) => hang(scope, dashboard));
    await server.ready();
    expect(server.hasRoute({ method: 'GET', url: '/api/v1/files' })).toBe(true);
  });
});
