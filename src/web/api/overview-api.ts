import type { FastifyInstance } from 'fastify';
import { readOpenProposals } from '../../ledger/proposal/proposals.ts';
import { readShownOverview } from '../../explain/read-blocks.ts';
import { readLateRuns, readSchedules, readTroubledRuns } from '../../explain/read-schedules.ts';
import { readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';
import { ADVICE, type Advice } from '../../../schemas/rejections.ts';
import { readPaidTwice } from '../../ledger/duplicates/read-double-charges.ts';
import { NEEDS } from '../../explain/needs-you.ts';
import { readQueue } from '../../explain/read-queue.ts';
import { listAgain, MOST_AGAIN } from '../../ledger/overview/may-go-again.ts';
import { openStageFlow, STAGES } from '../../ledger/overview/read-stages.ts';
import { actorOf } from '../access/viewer.ts';
import { splitPage } from '../parts/blocks.tsx';
import { viewerOf, type WebContext } from '../web-context.ts';
import { apiSchema } from './api-schema.ts';
import {
  ANYTHING,
  CENTS,
  listOf,
  mapOf,
  maybe,
  MOMENT,
  NEXT,
  objectOf,
  PAGING,
  shapeNamed,
  STANDING,
  STEP,
  TEXT,
  WHOLE,
  YES_OR_NO,
  each,
} from './shapes.ts';

/** Serves what is in progress, what is stuck, what needs a person, and what runs on schedule. */
export function overviewApi(server: FastifyInstance, { app: { ledger, settings } }: WebContext): void {
  server.get('/overview', { schema: OVERVIEW }, async () => ({
    ...(await readShownOverview(ledger, settings)),
    ...(await readLateRuns(ledger, settings)),
    obstacles: await readObstacles(ledger, settings),
  }));

  const readFlow = openStageFlow(ledger);
  server.get<{ Querystring: { account?: string } }>('/queue', { schema: QUEUE }, async ({ viewer, query }) => {
    const actor = actorOf(viewerOf({ viewer }));
    return {
      ...(await readQueue(ledger, settings, { actor, account: query.account })),
      flow: await readFlow(),
    };
  });

  server.get<{ Querystring: AgainAsked }>('/queue/again', { schema: AGAIN }, async ({ query }) => {
    const { account, advice, limit } = query;
    const [fileNo, line] = query.after?.split('.').map(Number) ?? [];
    const after = fileNo === undefined ? undefined : { fileNo, line: line! };
    const rows = await listAgain(ledger, { account, advice }, { after, limit: limit + 1 });
    const { page, more } = splitPage(rows, limit);
    const last = page.at(-1);
    return { payments: page, next: more && last ? `${last.fileNo}.${last.line}` : null };
  });

  server.get<{ Querystring: { account?: string; acknowledged?: boolean } }>(
    '/twice',
    { schema: TWICE },
    async ({ query: { account, acknowledged = false } }) => ({
      pairs: await readPaidTwice(ledger, { ...(account !== undefined && { account }), acknowledged }),
    }),
  );

  server.get('/proposals', { schema: PROPOSALS }, async () => ({ proposals: await readOpenProposals(ledger) }));

  server.get('/schedules', { schema: SCHEDULES }, async () => ({
    schedules: await readSchedules(ledger, settings),
    runs: await readTroubledRuns(ledger),
  }));
}

const OF_BATCH = { account: TEXT, fileId: TEXT, name: TEXT, batchNo: WHOLE, rows: WHOLE, cents: CENTS };

const OBSTACLE = objectOf({
  key: TEXT,
  what: TEXT,
  name: maybe(TEXT),
  why: TEXT,
  next: TEXT,
  step: STEP,
  since: maybe(MOMENT),
  account: maybe(TEXT),
  fileId: maybe(TEXT),
  batchNo: maybe(WHOLE),
});

const DOUBLE_ROW = objectOf({
  ...each(TEXT, 'fileId', 'name', 'state'),
  ...each(WHOLE, 'batchNo', 'line'),
  invoice: maybe(TEXT),
  cents: maybe(CENTS),
  outcome: maybe(TEXT),
  since: MOMENT,
  approvedBy: maybe(TEXT),
});

const DOUBLE = objectOf({
  ...each(TEXT, 'account', 'source'),
  row: DOUBLE_ROW,
  other: DOUBLE_ROW,
  ...each(YES_OR_NO, 'isSame', 'isTwice'),
  foundAt: MOMENT,
  ...each(maybe(MOMENT), 'releasedAt', 'acknowledgedAt'),
  ...each(maybe(TEXT), 'releasedBy', 'releaseReason', 'acknowledgedBy', 'acknowledgeReason'),
});

const TWICE = apiSchema({
  tag: 'Overview',
  summary: 'Payments that were perhaps made twice, the latest first; at most 200',
  query: {
    account: { ...TEXT, description: 'Only this account; left out, all.' },
    acknowledged: { type: 'boolean', description: 'Whether pairs are listed that a user has looked at, too.' },
  },
  answer: objectOf({ pairs: listOf(DOUBLE) }),
});

const PAID = objectOf({ ...OF_BATCH, since: MOMENT, matches: WHOLE, first: maybe(DOUBLE) });

const OVERVIEW = apiSchema({
  tag: 'Overview',
  summary: 'What is in progress, what is stuck and what needs attention',
  description: 'The same as "paydrop status --json" prints.',
  answer: objectOf({
    files: listOf(objectOf({ state: TEXT, files: WHOLE, rows: WHOLE, cents: CENTS })),
    open: listOf(
      objectOf({
        ...each(TEXT, 'file_id', 'name', 'account', 'operation', 'state'),
        ...STANDING,
        state_at: MOMENT,
        reason: maybe(TEXT),
        records: maybe(WHOLE),
        batches: WHOLE,
        done: WHOLE,
      }),
    ),
    doubt: listOf(objectOf({ ...OF_BATCH, state: TEXT, since: MOMENT, reason: maybe(TEXT) })),
    paid: { ...listOf(PAID), description: 'Not sent: a payment in it may have been charged meanwhile.' },
    twice: { ...listOf(DOUBLE), description: 'Payments that were perhaps made twice.' },
    undecided: listOf(objectOf({ ...OF_BATCH, since: MOMENT })),
    late: listOf(
      objectOf({
        ...OF_BATCH,
        batchId: maybe(TEXT),
        submittedAt: maybe(MOMENT),
        staleSince: maybe(MOMENT),
        says: maybe(TEXT),
      }),
    ),
    stopped: listOf(objectOf({ account: TEXT, reason: TEXT, since: MOMENT })),
    proposals: listOf(shapeNamed('Proposal')),
    today: listOf(objectOf({ account: TEXT, outcome: TEXT, rows: WHOLE, cents: CENTS })),
    lateRuns: listOf(objectOf({ schedule: TEXT, day: TEXT, state: TEXT, dueAt: MOMENT, says: TEXT })),
    missingFiles: listOf(objectOf(each(TEXT, 'schedule', 'folder', 'account', 'day', 'by'))),
    obstacles: listOf(OBSTACLE),
  }),
});

const RUN = objectOf(each(TEXT, 'schedule', 'day'));

const BLOCK = objectOf({
  ...each(TEXT, 'kind', 'account', 'says'),
  since: maybe(MOMENT),
  fileId: maybe(TEXT),
  batchNo: maybe(WHOLE),
});
const AMOUNT = { ...objectOf({ rows: WHOLE, cents: CENTS }), type: ['object', 'null'] };
const DEPTH = objectOf({
  stage: { type: 'string', enum: STAGES },
  account: TEXT,
  things: { ...WHOLE, description: 'Files, batches or decisions.' },
  rows: WHOLE,
  cents: CENTS,
  oldestAt: MOMENT,
});

const QUEUE = apiSchema({
  tag: 'Overview',
  summary: 'Where everything is, what is stopped and why, and what may go again',
  description: 'The same as the page "Queue". Money of several currencies is never added up.',
  query: { account: { ...TEXT, maxLength: 255, description: 'Only this account; all if omitted.' } },
  answer: objectOf({
    stages: { ...listOf(DEPTH), description: 'What is in each stage, by account; an empty stage is left out.' },
    flow: {
      ...mapOf(objectOf({ perMinute: { type: 'number' }, hours: listOf(WHOLE) })),
      description:
        'What left each stage, of all accounts: a minute over the last five, and in each of the last 24 hours.',
    },
    needs: {
      ...listOf(
        objectOf({
          kind: { type: 'string', enum: Object.keys(NEEDS) },
          ...each(TEXT, 'what', 'account', 'says'),
          fileId: maybe(TEXT),
          batchNo: maybe(WHOLE),
          amount: AMOUNT,
          since: maybe(MOMENT),
          behind: { ...AMOUNT, description: 'What is not sent before it is settled.' },
          run: { ...maybe(RUN), description: 'The run of a schedule or of an expected file that it is about.' },
        }),
      ),
      description: 'What waits for a person, the worst first; what the caller made waits for another person.',
    },
    blocked: listOf(
      objectOf({
        account: TEXT,
        causes: listOf(BLOCK),
        depth: DEPTH,
        batches: listOf(objectOf({ ...OF_BATCH, since: MOMENT })),
      }),
    ),
    waiting: listOf(
      objectOf({
        ...each(TEXT, 'file_id', 'name', 'account', 'state'),
        ...STANDING,
        state_at: MOMENT,
        records: maybe(WHOLE),
        batches: WHOLE,
        done: WHOLE,
      }),
    ),
    failed: listOf(OBSTACLE),
    again: {
      ...listOf(objectOf({ account: TEXT, rows: WHOLE, cents: CENTS })),
      description: `Payments that may be tried again as they are. At ${MOST_AGAIN} there may be more.`,
    },
    unpaid: {
      ...listOf(objectOf({ account: TEXT, rows: WHOLE, cents: CENTS })),
      description: `Payments that were not made and were not sent again, whatever the advice; those of \`again\` are among them. At ${MOST_AGAIN} there may be more.`,
    },
    lost: {
      ...listOf(objectOf({ ...each(TEXT, 'fileId', 'name', 'account'), rows: WHOLE, cents: CENTS, since: MOMENT })),
      description: 'Files made of rows of another that have not come back through their drop folder.',
    },
  }),
});

type AgainAsked = { account?: string; advice?: Advice; after?: string; limit: number };

const AGAIN = apiSchema({
  tag: 'Overview',
  summary: 'Payments of finished files that were not made and were not sent again, the newest file first',
  query: {
    account: { ...TEXT, maxLength: 255 },
    advice: { type: 'string', enum: ADVICE, description: 'What to do about them; all if omitted.' },
    limit: PAGING.limit,
    after: { type: 'string', pattern: '^\\d{1,15}\\.\\d{1,9}$', description: '`next` of the previous page.' },
  },
  answer: objectOf({
    payments: listOf(
      objectOf({
        ...each(TEXT, 'fileId', 'name', 'account', 'invoice', 'lastFour', 'outcome'),
        line: WHOLE,
        batchNo: WHOLE,
        cents: CENTS,
        code: maybe(WHOLE),
        since: MOMENT,
      }),
    ),
    next: NEXT,
  }),
});

const PROPOSALS = apiSchema({
  tag: 'Proposals',
  summary: 'What one person has proposed and another must confirm or refuse',
  answer: objectOf({ proposals: listOf(shapeNamed('Proposal')) }),
});

const SCHEDULES = apiSchema({
  tag: 'Schedules',
  summary: 'Every schedule: what it does, its next run, and the outcome of its last run; and runs missed or failed',
  answer: objectOf({
    schedules: listOf(
      objectOf({
        ...each(TEXT, 'name', 'does', 'timeZone'),
        nextAt: maybe(MOMENT),
        last: {
          anyOf: [objectOf({ day: TEXT, state: TEXT, summary: ANYTHING }), { type: 'null' }],
        },
      }),
    ),
    runs: {
      ...listOf(
        objectOf({
          ...each(TEXT, 'schedule', 'day', 'state', 'says'),
          dueAt: MOMENT,
          acknowledgedAt: maybe(MOMENT),
          ...each(maybe(TEXT), 'acknowledgedBy', 'acknowledgeReason'),
        }),
      ),
      description: 'Runs that were missed or failed, the newest first, acknowledged ones included; at most 200.',
    },
  }),
});
