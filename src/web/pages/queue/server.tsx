import { type QueueName, QUEUES } from '../../../../schemas/jobs.ts';
import type { App } from '../../../app.ts';
import { answerInTime } from '../../../kernel/answer-in-time.ts';
import type { QueueLook } from '../../../queue/open-queue.ts';
import { Table } from '../../parts/blocks.tsx';
import { Count, Moment } from '../../parts/words.tsx';
import { sayDuration } from '../../parts/when.ts';

/** What the server of the queues holds, and how long it took to say so, in ms. */
export type ServerLook = {
  readonly tookMs: number;
  readonly queues: readonly (QueueLook & { readonly name: QueueName })[];
};

/** How long the page waits for the server of the queues, in ms; everything else on it comes from the ledger. */
const SERVER_MS = 1_000;

/** Looks at all queues; undefined when their server does not answer. */
export async function lookAtServer({ queue }: App): Promise<ServerLook | undefined> {
  const begun = performance.now();
  const names = Object.keys(QUEUES) as QueueName[];
  const looks = Promise.all(names.map(async (name) => ({ name, ...(await queue.look(name)) })));
  const queues = await answerInTime(SERVER_MS, looks).catch(() => undefined);
  return queues && { queues, tookMs: Math.round(performance.now() - begun) };
}

/** Shows the last failed jobs, the newest first. */
export function FailedJobs({ server }: { server: ServerLook | undefined }) {
  const jobs = (server?.queues ?? []).flatMap(({ name, failed }) => failed.map((job) => ({ name, ...job })));
  if (jobs.length === 0) return null;
  return (
    <div class="group">
      <h3>Failed jobs</h3>
      <p class="hint">The ledger decides what is tried again; a failed job alone changes nothing.</p>
      <Table
        label="Failed jobs"
        rows={jobs.toSorted((one, other) => other.at.getTime() - one.at.getTime())}
        empty=""
        columns={[
          {
            title: 'Job',
            cell: ({ id }) => id,
            place: 'name',
          },
          { title: 'Queue', cell: ({ name }) => name, place: 'of-state' },
          { title: 'When', cell: ({ at }) => <Moment at={at} /> },
          { title: 'Why', cell: ({ says }) => says },
        ]}
      />
    </div>
  );
}

/** Shows the queues themselves. They only ring: without them each sweep finds the work. */
export function ServerPanel({ app, server }: { app: App; server: ServerLook | undefined }) {
  const { sweptAt } = app.health;
  const kind = app.settings.redisUrl ? 'Redis' : 'PostgreSQL';
  return (
    <details class="card" id="server">
      <summary data-part="server">
        {server ? `Queue server (${kind}) answered in ${server.tookMs} ms.` : `Queue server (${kind}) does not answer.`}{' '}
        {sweptAt ? `Last sweep ${sayDuration(app.clock.now().getTime() - sweptAt.getTime())} ago.` : 'No sweep yet.'}
      </summary>
      <div data-part="jobs">
        <p class="hint">A job only rings for a stage. The ledger holds the work, and every sweep looks at it.</p>
        <Table
          label="Jobs of each queue"
          rows={server?.queues ?? []}
          empty="The server of the queues does not answer. Work goes on as soon as it does."
          columns={[
            { title: 'Queue', cell: ({ name }) => <span title={QUEUES[name].about}>{name}</span> },
            ...(['waiting', 'prioritized', 'delayed', 'active', 'failed'] as const).map((state) => ({
              title: STATES[state],
              cell: ({ counts }: QueueLook) => <Count of={counts[state] ?? 0} />,
              isFigure: true,
            })),
            { title: 'Oldest waits since', cell: ({ oldestAt }) => oldestAt && <Moment at={oldestAt} /> },
          ]}
        />
      </div>
    </details>
  );
}

const STATES = {
  waiting: 'Waiting',
  prioritized: 'First',
  delayed: 'Delayed',
  active: 'Active',
  failed: 'Failed',
} as const;
