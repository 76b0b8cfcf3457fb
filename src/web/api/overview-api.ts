import type { FastifyInstance } from 'fastify';
import { stepText } from '../../../schemas/steps.ts';
import { readOpenProposals } from '../../ledger/proposal/proposals.ts';
import { readShownOverview } from '../../explain/read-blocks.ts';
import { readLateRuns, readSchedules } from '../../explain/read-schedules.ts';
import { readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';
import type { WebContext } from '../web-context.ts';
import { apiSchema } from './api-schema.ts';
import {
  ANYTHING,
  CENTS,
  listOf,
  maybe,
  MOMENT,
  objectOf,
  shapeNamed,
  STANDING,
  STEP,
  TEXT,
  WHOLE,
  type Shape,
  YES_OR_NO,
  each,
} from './shapes.ts';
import type { Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { type AccountState, readAccountStates, readForgottenSends } from '../../ledger/account/read-holds.ts';
import { describeHolds } from '../../explain/describe-holds.ts';

/** Serves what is in progress, what is stuck, what needs a person, and what runs on schedule. */
export function overviewApi(server: FastifyInstance, { app: { ledger, settings } }: WebContext): void {
  server.get('/overview', { schema: OVERVIEW }, async () => ({
    ...(await readShownOverview(ledger, settings)),
    ...(await readLateRuns(ledger, settings)),
    obstacles: await readObstacles(ledger, settings),
  }));

  server.get('/proposals', { schema: PROPOSALS }, async () => ({ proposals: await readOpenProposals(ledger) }));

  server.get('/schedules', { schema: SCHEDULES }, async () => ({ schedules: await readSchedules(ledger, settings) }));
}

const OF_BATCH = { account: TEXT, fileId: TEXT, name: TEXT, batchNo: WHOLE, rows: WHOLE, cents: CENTS };

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
    missingFiles: listOf(objectOf({ folder: TEXT, account: TEXT, day: TEXT, by: TEXT })),
    obstacles: listOf(
      objectOf({
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
      }),
    ),
  }),
});

const PROPOSALS = apiSchema({
  tag: 'Proposals',
  summary: 'What one person has proposed and another must confirm or refuse',
  answer: objectOf({ proposals: listOf(shapeNamed('Proposal')) }),
});

const SCHEDULES = apiSchema({
  tag: 'Schedules',
  summary: 'Every schedule: what it does, its next run, and the outcome of its last run',
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
  }),
});

/** Serves accounts: which of them send, which do not, and why. */
export function accountsApi(server: FastifyInstance, { app: { ledger, settings } }: WebContext): void {
  const readAll = async () =>
    (await readAccountStates(ledger, [...settings.accounts.keys()])).map(tellAccount(settings));

  server.get('/accounts', { schema: LIST }, async () => ({ accounts: await readAll() }));

  server.get<{ Params: { name: string } }>('/accounts/:name', { schema: ONE }, async ({ params }) => {
    const found = (await readAll()).find(({ account }) => account === params.name);
    if (!found) throw new PipelineError('NOT_FOUND', `find account "${maskText(params.name)}"`);
    return { ...found, forgottenSends: await readForgottenSends(ledger, found.account) };
  });
}

/** @returns adds the account's configuration, and its holds in sentences */
function tellAccount({ accounts }: Settings) {
  return (state: AccountState) => {
    const configured = accounts.get(state.account);
    const timeZone = configured?.timeZone ?? 'UTC';
    const holds = describeHolds(state, timeZone);
    return {
      ...state,
      isConfigured: configured !== undefined,
      timeZone,
      currency: configured?.currency ?? null,
      sends: state.stops.length + state.batches.length === 0,
      says: holds.map(stepText),
      steps: holds,
    };
  };
}

const ACCOUNT: Readonly<Record<string, Shape>> = {
  account: TEXT,
  isConfigured: YES_OR_NO,
  timeZone: TEXT,
  currency: maybe(TEXT),
  sends: { ...YES_OR_NO, description: 'Whether it may send now.' },
  says: { ...listOf(TEXT), description: 'Why it does not send and what to do, one sentence for each hold.' },
  steps: { ...listOf(STEP), description: '`says` as data.' },
  ready: { ...WHOLE, description: 'Batches waiting.' },
  onTheirWay: { ...WHOLE, description: 'Batches that are being sent or wait for their result.' },
  forgotten: { ...WHOLE, description: 'Calls that only the send journal has and no person has acknowledged.' },
  stops: listOf(objectOf({ account: TEXT, kind: TEXT, reason: TEXT, actor: TEXT, since: MOMENT })),
  batches: listOf(
    objectOf({
      fileId: TEXT,
      name: TEXT,
      batchNo: WHOLE,
      state: TEXT,
      rows: WHOLE,
      cents: CENTS,
      since: MOMENT,
      reason: maybe(TEXT),
    }),
  ),
};

const tag = 'Accounts';

const LIST = apiSchema({
  tag,
  summary: 'Every account: whether it sends, and what stops it',
  answer: objectOf({ accounts: listOf(objectOf(ACCOUNT)) }),
});

const ONE = apiSchema({
  tag,
  summary: 'One account, with the calls that only the send journal has',
  params: { name: { ...TEXT, maxLength: 255 } },
  answer: objectOf({
    ...ACCOUNT,
    forgottenSends: listOf(
      objectOf({
        fileId: TEXT,
        batchNo: WHOLE,
        attempt: WHOLE,
        sha256: TEXT,
        at: MOMENT,
        since: MOMENT,
        batchState: maybe(TEXT),
        acknowledgedAt: maybe(MOMENT),
        acknowledgedBy: maybe(TEXT),
      }),
    ),
  }),
});
