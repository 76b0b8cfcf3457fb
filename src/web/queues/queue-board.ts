import { createBullBoard } from '@bull-board/api';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../access/refusal.ts';
import { makeErrorHandler } from '../answer-errors.tsx';
import type { WebContext } from '../web-context.ts';
import { ShownQueue } from './shown-queue.ts';

const PATH = '/queues';

/** Serves `/queues`: the queues in bull-board, read-only. */
export async function queueBoard(server: FastifyInstance, context: WebContext): Promise<void> {
  const serverAdapter = new FastifyAdapter().setBasePath(PATH);
  const queues = context.app.queue.boardQueues().map((queue) => new ShownQueue(queue));
  createBullBoard({ queues, serverAdapter, options: { uiConfig: LOOKS } });
  const errorHandler = makeErrorHandler(context);
  await server.register(
    async (scope) => {
      // Otherwise the library answers errors itself, and users are not redirected to the log-in.
      scope.addHook('onRoute', (route) => {
        const isPolled = route.url.startsWith(`${PATH}/api/`);
        Object.assign(route, { errorHandler, config: { ...route.config, isPolled } });
      });
      // The ledger, and persons with a reason, decide on the work of jobs; the board must not. The board's own
      // read-only switch is set too, but the dashboard does not rely on it.
      scope.addHook('onRequest', async ({ method }) => {
        if (method !== 'GET' && method !== 'HEAD') throw new Refusal('ONLY_TO_LOOK_AT');
      });
      scope.addHook('onSend', async (_, reply, payload) => {
        // An error page is already one of the dashboard's.
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

/** Allows the board's `<base>`, by which the page finds its files; the rest of the policy stays. */
function allowBase(policy: unknown): string {
  return String(policy).replace("base-uri 'none'", "base-uri 'self'");
}

const LOOKS = {
  boardTitle: 'paydrop queues',
  hideDocsLink: true,
  hideRedisDetails: true,
  // The workers share connections, so the board cannot tell them apart and would show none.
  showWorkers: false,
  showMetrics: false,
};

/**
 * Makes bull-board's page part of the dashboard: adds a link back and removes what the dashboard's policy forbids, so
 * that browsers log no violations. That is fonts from another server, which would learn who views the queues. It is
 * also inline styles, which only format the text shown while the board loads.
 */
export function tidyBoardPage(html: string): string {
  return html
    .replace(/<link\b[^>]*\bhref="https?:[^>]*>/g, '')
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/(<[a-z]+) style="[^"]*"/g, '$1')
    .replace('</head>', '<link rel="stylesheet" href="/assets/queues.css" /></head>')
    .replace(/<body[^>]*>/, '$&<a class="back-to-dashboard" href="/">← Back to the dashboard</a>');
}
