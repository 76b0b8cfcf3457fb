import { createBullBoard } from '@bull-board/api';
import { assetAt } from '../assets.ts';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../access/refusal.ts';
import { makeErrorHandler } from '../answer-errors.tsx';
import type { WebContext } from '../web-context.ts';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { type QueueName, QUEUES } from '../../../schemas/jobs.ts';
import { maskText } from '../../kernel/mask.ts';
import type { BoardQueue } from '../../queue/open-queue.ts';

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
    .replace('</head>', `<link rel="stylesheet" href="${assetAt('queues.css')}" /></head>`)
    .replace(/<body[^>]*>/, '$&<a class="back-to-dashboard" href="/">← Back to the dashboard</a>');
}

type QueueJob = Awaited<ReturnType<BullMQAdapter['getJobs']>>[number];
type States = Parameters<BullMQAdapter['getJobs']>[0];
type BoardJob = ReturnType<QueueJob['toJSON']>;

/** Most jobs of a state to read at once, even if the browser asks for more. */
const MOST_JOBS = 100;

/**
 * A queue for the board: read-only, and only ids, times and masked failure reasons of its jobs. paydrop's jobs hold no
 * more, but anyone with access to the queue's server can add others.
 */
export class ShownQueue extends BullMQAdapter {
  readonly #name: QueueName;

  constructor({ name, queue }: BoardQueue) {
    super(queue as ConstructorParameters<typeof BullMQAdapter>[0], {
      readOnlyMode: true,
      allowRetries: false,
      description: QUEUES[name].about,
    });
    this.#name = name;
  }

  override async getJob(id: string): Promise<QueueJob | undefined> {
    const job = (await super.getJob(id)) as QueueJob | null | undefined;
    return job ? this.#cover(job) : undefined;
  }

  override async getJobs(states: States, start = 0, end = start + MOST_JOBS - 1): Promise<QueueJob[]> {
    const jobs = await super.getJobs(states, start, Math.min(end, start + MOST_JOBS - 1));
    return jobs.map((job) => this.#cover(job));
  }

  /** Returns none: paydrop writes no logs, and foreign ones may hold anything. */
  override async getJobLogs(): Promise<string[]> {
    return [];
  }

  /** Returns when a schedule is next, without the job's template. */
  override async getJobSchedulers(): ReturnType<BullMQAdapter['getJobSchedulers']> {
    const schedulers = await super.getJobSchedulers();
    return schedulers.map(({ template: _template, ...scheduler }) => scheduler);
  }

  /** Hides the job's contents: the board renders `toJSON`, so that returns less; other calls pass through. */
  #cover(job: QueueJob): QueueJob {
    const told = tellJob(job.toJSON(), this.#name);
    return new Proxy(job, {
      get: (target, key) => {
        if (key === 'toJSON') return () => told;
        if (HIDDEN.has(key)) return told[key as keyof BoardJob];
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}

const HIDDEN = new Set<string | symbol>([
  'id',
  'name',
  'data',
  'progress',
  'returnvalue',
  'failedReason',
  'stacktrace',
]);

function tellJob(job: BoardJob, name: QueueName): BoardJob {
  const { delay, attempts, priority } = job.opts ?? {};
  return {
    ...job,
    id: maskText(job.id ?? ''),
    name: maskText(job.name),
    data: idsOf(name, job.data),
    progress: 0,
    returnvalue: null,
    stacktrace: [],
    failedReason: job.failedReason ? maskText(job.failedReason) : job.failedReason,
    opts: { delay, attempts, priority },
  } as BoardJob;
}

/** Masks ids, because any program may have written the job. */
function maskIds(ids: unknown): unknown {
  if (Array.isArray(ids)) return ids.map(maskIds);
  return typeof ids === 'string' ? maskText(ids) : ids;
}

/** Returns what a job of this queue may hold; nothing for an invalid job. */
function idsOf(name: QueueName, data: unknown): object {
  const ids = QUEUES[name].payload.safeParse(data);
  if (!ids.success) return {};
  return Object.fromEntries(Object.entries(ids.data).map(([key, id]) => [key, maskIds(id)]));
}
