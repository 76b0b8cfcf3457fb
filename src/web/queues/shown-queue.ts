import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { type QueueName, QUEUES } from '../../../schemas/jobs.ts';
import { maskText } from '../../kernel/mask.ts';
import type { BoardQueue } from '../../queue/open-queue.ts';

type Found = Awaited<ReturnType<BullMQAdapter['getJobs']>>[number];
type States = Parameters<BullMQAdapter['getJobs']>[0];
type Told = ReturnType<Found['toJSON']>;

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

  override async getJob(id: string): Promise<Found | undefined> {
    const job = (await super.getJob(id)) as Found | null | undefined;
    return job ? this.#cover(job) : undefined;
  }

  override async getJobs(states: States, start = 0, end = start + MOST_JOBS - 1): Promise<Found[]> {
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
  #cover(job: Found): Found {
    const told = tellJob(job.toJSON(), this.#name);
    return new Proxy(job, {
      get: (target, key) => {
        if (key === 'toJSON') return () => told;
        if (Object.hasOwn(HIDDEN, key)) return told[key as keyof typeof HIDDEN];
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}

/** Fields that are always read from the hidden version. */
const HIDDEN = {
  id: true,
  name: true,
  data: true,
  progress: true,
  returnvalue: true,
  failedReason: true,
  stacktrace: true,
} as const;

function tellJob(job: Told, name: QueueName): Told {
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
  } as Told;
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
