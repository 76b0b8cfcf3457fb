import { HOME_SITE, type QueueName, QUEUES } from '../../schemas/jobs.ts';
import type { Log } from '../kernel/log.ts';
import { answerWithin, limitLog, shortReason } from './answer-within.ts';
import {
  countJobs,
  lookAt,
  type NamedQueue,
  openNamedQueue,
  type QueueConnection,
  type QueueLook,
  queueNameAt,
} from './named-queue.ts';
import { connectPostgres, type PostgresSettings } from './postgres-connection.ts';
import { assertSafeOptions, QUEUE_OPTIONS, type QueueOptions } from './queue-options.ts';
import { connectRedis, type RedisSettings } from './redis-connection.ts';
import { type QueueWorker, startWorker } from './start-worker.ts';
import type { CalendarConfig } from '../../schemas/config.ts';
import { WEEKDAYS } from '../../schemas/config-parts.ts';

/** PostgreSQL by default, in the schema `paydrop_queue` on the ledger's server; Redis when a URL is given. */
export type QueueBackend =
  | { readonly kind: 'postgres'; readonly connection: PostgresSettings }
  | ({ readonly kind: 'redis' } & RedisSettings);

/**
 * The queue only tells stages to look; the ledger holds the truth. Rings may be lost, doubled or invented without harm.
 * A method that queries the server throws QUEUE_UNREACHABLE when it does not answer.
 */
export type Queue = {
  /**
   * Rings a stage. Rings that nobody has heard yet are one, and one that comes while another is heard follows it.
   * @param site whose processes hear it, for a stage with a queue per site (`schemas/jobs.ts`); this site by default
   */
  ring(name: QueueName, site?: string): Promise<void>;
  /** Hears rings from now on, one at a time. A ring that fails is not repeated. */
  hear(name: QueueName, hear: () => Promise<void>): QueueWorker;
  /**
   * Rings for schedules at their times from now on, instead of all planned before. Without these rings due work is found
   * a little later.
   */
  plan(reminders: readonly Reminder[]): Promise<void>;
  /** Returns the number of jobs by BullMQ's name of their state. */
  counts(name: QueueName): Promise<Record<string, number>>;
  /** Looks at a queue without changing it. */
  look(name: QueueName): Promise<QueueLook>;
  /** Makes a queue usable again that was wiped, or that lost a part of what it keeps. Cheap when nothing is wrong. */
  heal(): Promise<void>;
  /** Closes open workers, waiting for what they hear, and every connection. */
  close(): Promise<void>;
};

export type { QueueLook } from './named-queue.ts';
export type { QueueWorker } from './start-worker.ts';

/** How long the server may take, in ms: to connect and create its tables, and to answer later. */
const OPEN_MS = 15_000;
const ANSWER_MS = 5_000;

/** A lost connection is retried at least every two seconds; after this many ms its last report is outdated. */
const CAUSE_MS = 10_000;

/**
 * Opens the queue and waits until its server answers.
 * @param site whose rings are heard and counted
 * @throws PipelineError QUEUE_UNREACHABLE, or CONFIG_INVALID when the options could run a job twice
 */
export async function openQueue(
  backend: QueueBackend,
  log: Log,
  { options = QUEUE_OPTIONS, site: home = HOME_SITE }: { options?: QueueOptions; site?: string } = {},
): Promise<Queue> {
  assertSafeOptions(options);
  const report = limitLog(log);
  let last: { reason: string; atMs: number } | undefined;
  const onError = (error: unknown) => {
    last = { reason: shortReason(error), atMs: performance.now() };
    report(error);
  };
  const readCause = () => (last && performance.now() - last.atMs < CAUSE_MS ? last.reason : undefined);
  const connection = await answerWithin(OPEN_MS, 'open the queue', connect(backend, onError), readCause);
  const queues = new Map<string, NamedQueue>();
  const queueOf = (name: QueueName, site = home) => {
    const storedName = queueNameAt(name, site);
    const queue = queues.get(storedName) ?? openNamedQueue(storedName, connection, options, onError);
    queues.set(storedName, queue);
    return queue;
  };
  const workers = new Set<QueueWorker>();
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= closeAll(connection, queues, workers));

  /** Queries the server, unless the connection is closed, because BullMQ then never answers. */
  function ask<Answer>(action: string, start: () => Promise<Answer>): Promise<Answer> {
    const answer = closing ? Promise.reject(new Error('the queue is closed')) : start();
    return answerWithin(ANSWER_MS, action, answer, readCause);
  }

  try {
    const ours = QUEUE_NAMES.map((name) => queueOf(name));
    await ask('open the queue', () => Promise.all(ours.map((queue) => queue.waitUntilReady())));
  } catch (error) {
    await close();
    throw error;
  }

  return {
    ring: (name, site) => ask(`ring "${name}"`, () => ringOnce(queueOf(name, site))),
    hear: (name, hear) => {
      const worker = startWorker({ name, site: home, hear, connection, options, log, onError });
      workers.add(worker);
      return worker;
    },
    plan: (reminders) => ask('plan the schedules', () => planReminders(queueOf('schedule'), reminders)),
    counts: (name) => ask(`count the jobs of "${name}"`, () => countJobs(queueOf(name))),
    look: (name) => ask(`look at the jobs of "${name}"`, () => lookAt(queueOf(name))),
    heal: () =>
      ask('heal the queue', async () => {
        await connection.heal();
        await Promise.all(QUEUE_NAMES.map((name) => forgetLostRing(queueOf(name))));
      }),
    close,
  };
}

function connect(backend: QueueBackend, onError: (error: unknown) => void): Promise<QueueConnection> {
  switch (backend.kind) {
    case 'postgres':
      return connectPostgres(backend.connection, onError);
    case 'redis':
      return connectRedis(backend);
  }
}

const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];

/** Closes workers first: the end of a running job is recorded through the connection. */
async function closeAll(
  connection: QueueConnection,
  queues: ReadonlyMap<string, NamedQueue>,
  workers: Set<QueueWorker>,
): Promise<void> {
  await Promise.all(Array.from(workers, (worker) => worker.close()));
  await Promise.all(Array.from(queues.values(), (queue) => queue.close()));
  await connection.close();
}

const BELL = 'bell';

/** Of the rings of a queue at most one is heard and one waits. */
const ONCE = { deduplication: { id: BELL, keepLastIfActive: true } };

async function ringOnce(queue: NamedQueue): Promise<void> {
  await queue.add('ring', {}, ONCE);
}

/** States of a job that a worker has or will soon take, by BullMQ's names. */
const AUDIBLE: readonly string[] = ['waiting', 'prioritized', 'active'];

/**
 * Forgets a ring that no worker will ever take. BullMQ would drop every later ring in favor of it, as long as its record
 * exists. Such a ring remains when the server lost its list of waiting jobs, or when another program added a job under our
 * deduplication id and put it off.
 */
async function forgetLostRing(queue: NamedQueue): Promise<void> {
  const id = await queue.getDeduplicationJobId(BELL);
  if (id === null || AUDIBLE.includes(await queue.getJobState(id))) return;
  // Only if no later ring has taken its place by now.
  await queue.getBackend().removeDeduplicationKey(BELL, id);
}

/** When to remind a schedule of itself: a time in its zone, on days of the week. */
export type Reminder = {
  readonly schedule: string;
  readonly at: string;
  readonly timeZone: string;
  readonly days: CalendarConfig['days'];
};

/**
 * Replaces BullMQ's job schedulers by one for each reminder in the configuration. They ignore holidays, and in nights
 * of clock changes they may fire at another minute, or twice. The receiver checks the ledger.
 */
export async function planReminders(queue: NamedQueue, reminders: readonly Reminder[]): Promise<void> {
  const wanted = new Set(reminders.map((reminder) => reminder.schedule));
  for (const { key } of await queue.getJobSchedulers()) if (!wanted.has(key)) await queue.removeJobScheduler(key);
  for (const { schedule, timeZone, ...when } of reminders) {
    const template = { name: 'ring', data: {} };
    await queue.upsertJobScheduler(schedule, { pattern: patternOf(when), tz: timeZone }, template);
  }
}

/** Writes a cron pattern: second, minute, hour, day, month, day of the week with Sunday as 0. */
function patternOf({ at, days }: Pick<Reminder, 'at' | 'days'>): string {
  const [hour, minute] = at.split(':').map(Number);
  const weekdays = days.map((day) => (WEEKDAYS.indexOf(day) + 1) % 7);
  return `0 ${minute} ${hour} * * ${weekdays.join(',')}`;
}
