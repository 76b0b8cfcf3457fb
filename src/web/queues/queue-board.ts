import { createBullBoard } from '@bull-board/api';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../access/refusal.ts';
import { makeErrorHandler } from '../answer-errors.tsx';
import type { Desk } from '../desk.ts';
import { ShownQueue } from './shown-queue.ts';
import { tidyBoardPage } from './tidy-board-page.ts';

const PATH = '/queues';

/** `/queues`: the queues as bull-board shows them, to look at only. */
export async function queueBoard(server: FastifyInstance, desk: Desk): Promise<void> {
  const serverAdapter = new FastifyAdapter().setBasePath(PATH);
  const queues = desk.app.queue.boardQueues().map((queue) => new ShownQueue(queue));
  createBullBoard({ queues, serverAdapter, options: { uiConfig: LOOKS } });
  const errorHandler = makeErrorHandler(desk);
  await server.register(
    async (scope) => {
      // The library would tell whatever went wrong in its own words, and nobody would come to the log-in.
      scope.addHook('onRoute', (route) => {
        const isPolled = route.url.startsWith(`${PATH}/api/`);
        Object.assign(route, { errorHandler, config: { ...route.config, isPolled } });
      });
      // What a job says is to be done is decided by the ledger, and by people with a reason; the board does neither. Its
      // own switch for that is set as well, but the desk does not depend on it.
      scope.addHook('onRequest', async ({ method }) => {
        if (method !== 'GET' && method !== 'HEAD') throw new Refusal('ONLY_TO_LOOK_AT');
      });
      scope.addHook('onSend', async (_, reply, payload) => {
        // A page that tells of an error is one of the desk already.
        if (reply.statusCode !== 200 || !String(reply.getHeader('content-type')).startsWith('text/html'))
          return payload;
        void reply
          .header('cache-control', 'no-store')
          .header('content-security-policy', allowBase(reply.getHeader(CSP)));
        return tidyBoardPage(String(payload));
      });
      await scope.register(serverAdapter.registerPlugin());
    },
    { prefix: PATH },
  );
}

const CSP = 'content-security-policy';

/** The page finds its files and itself by a `<base>` of this server; the rest of the policy of the desk holds as it is. */
function allowBase(policy: unknown): string {
  return String(policy).replace("base-uri 'none'", "base-uri 'self'");
}

const LOOKS = {
  boardTitle: 'paydrop queues',
  hideDocsLink: true,
  hideRedisDetails: true,
  // Our workers share connections, by which the board cannot tell them apart: it would say that there are none.
  showWorkers: false,
  showMetrics: false,
};
