import type { FastifyInstance } from 'fastify';
import { readDayReport } from '../../../workers/schedule/read-day-report.ts';
import { stepText } from '../../../schemas/steps.ts';
import type { Settings } from '../../config/config.ts';
import { describeHolds, showAccount } from '../../explain/describe-holds.ts';
import { SHOWN_ACCOUNTS } from '../../../schemas/shown.ts';
import { readLeft } from '../../explain/left-over.ts';
import { type AccountState, readAccountStates, readForgottenSends } from '../../ledger/account/read-holds.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { dayInZone } from '../../calendar/zone-time.ts';
import { readLinks } from '../pages/audit.tsx';
import { findFile } from '../../ledger/file/search.ts';
import { dayReportJson, type DayReport } from '../../reconcile/outputs/day-report.ts';
import type { WebContext } from '../web-context.ts';
import { apiSchema } from './api-schema.ts';
import {
  CENTS,
  DAY,
  listOf,
  mapOf,
  maybe,
  MOMENT,
  NEXT,
  objectOf,
  PAGING,
  type Paging,
  shapeNamed,
  type Shape,
  STEP,
  TEXT,
  WHOLE,
  YES_OR_NO,
  each,
} from './shapes.ts';

type AuditQuery = Paging & Partial<Record<'since' | 'until' | 'actor' | 'move' | 'file' | 'dir', string>>;

/** Serves the records: the day of each account, and who did what. */
export function recordsApi(server: FastifyInstance, { app }: WebContext): void {
  const { ledger, settings } = app;

  server.get<{ Querystring: { account?: string; day?: string } }>('/report', { schema: REPORT }, async ({ query }) => {
    const wanted = query.account === undefined ? [...settings.accounts.keys()] : [query.account];
    const days: DayReport[] = [];
    for (const name of wanted) {
      const account = settings.accounts.get(name);
      if (!account) throw new PipelineError('NOT_FOUND', `find account "${maskText(name)}"`);
      const day = query.day ?? dayInZone(app.clock.now(), account.timeZone);
      days.push(await readDayReport(ledger, account, day, settings));
    }
    return { reports: dayReportJson(days) };
  });

  server.get<{ Querystring: AuditQuery }>('/audit', { schema: AUDIT }, async ({ query }) => {
    const { since, until, actor, move, file: words, dir, limit, after } = query;
    const file = words === undefined ? undefined : await findFile(ledger, words);
    const filter = {
      ...(since !== undefined && { since: new Date(since) }),
      ...(until !== undefined && { until: new Date(until) }),
      ...(actor !== undefined && { actor }),
      ...(move !== undefined && { move }),
      ...(file && { fileId: file.file_id }),
    };
    const page = { isDescending: dir !== 'asc', after: after === undefined ? undefined : Number(after) };
    // One more than returned shows whether there is another page.
    const found = await readLinks(ledger, filter, { ...page, limit: limit + 1 });
    const links = found.slice(0, limit);
    return { links, next: found.length > limit ? String(links.at(-1)!.seq) : null };
  });
}

/** Rows and their money as decimal text, as in reports. */
const Sum = objectOf({ rows: WHOLE, total: TEXT });

const REPORT = apiSchema({
  tag: 'Records',
  summary: 'The day of each account: brought forward + accepted = final + open, to the cent',
  description: 'The same as "paydrop report --format json" prints; amounts are decimal text.',
  query: {
    account: { ...TEXT, description: 'Only this account; left out, all.' },
    day: { ...DAY, description: 'Such as 2026-11-20, in the zone of the account; left out, today.' },
  },
  answer: objectOf({
    reports: listOf(
      objectOf({
        ...each(TEXT, 'day', 'account', 'timeZone'),
        isOver: YES_OR_NO,
        broughtForward: Sum,
        accepted: objectOf({ files: WHOLE, rows: WHOLE, total: TEXT }),
        final: mapOf(Sum),
        open: Sum,
        difference: Sum,
        openBatches: listOf(
          objectOf({
            fileId: TEXT,
            batchNo: WHOLE,
            name: TEXT,
            acceptedAt: TEXT,
            rows: WHOLE,
            total: TEXT,
            stateNow: TEXT,
          }),
        ),
        changes: listOf(objectOf({ before: TEXT, after: TEXT, rows: WHOLE, total: TEXT })),
        withheld: objectOf({ rows: WHOLE, total: TEXT, unreadableAmounts: WHOLE }),
        paidTwice: {
          ...listOf(objectOf({ row: TEXT, other: TEXT, total: TEXT })),
          description: 'Payments that were perhaps made twice, and that nobody has looked at; at most 200.',
        },
        missingFiles: listOf(objectOf(each(TEXT, 'folder', 'day', 'by'))),
      }),
    ),
  }),
});

const AUDIT = apiSchema({
  tag: 'Records',
  summary: 'Who did what, when and why, unless sorted otherwise the newest first',
  query: {
    since: MOMENT,
    until: { ...MOMENT, description: 'Before this moment.' },
    move: { ...TEXT, maxLength: 100, description: 'What was done, such as approve.' },
    actor: { ...TEXT, maxLength: 100, description: 'Beginning of the actor, such as operator: or operator:ada.' },
    file: { ...TEXT, maxLength: 255, description: 'Its id, the first characters of the id, or its name.' },
    dir: { type: 'string', enum: ['asc', 'desc'] },
    ...PAGING,
  },
  answer: objectOf({ links: listOf(shapeNamed('AuditLink')), next: NEXT }),
});

/** Serves accounts: which of them send, which do not, and why. */
export function accountsApi(server: FastifyInstance, { app: { ledger, settings, clock } }: WebContext): void {
  const readAll = async () =>
    (await readAccountStates(ledger, [...settings.accounts.keys()])).map(tellAccount(settings, clock.now()));

  server.get('/accounts', { schema: ACCOUNTS }, async () => ({ accounts: await readAll() }));

  server.get<{ Querystring: { account?: string } }>('/left', { schema: LEFT }, async ({ query }) => ({
    left: (await readLeft(ledger, settings, query.account)).map(({ next, ...item }) => ({
      ...item,
      next: stepText(next),
      step: next,
    })),
  }));

  server.get<{ Params: { name: string } }>('/accounts/:name', { schema: ONE_ACCOUNT }, async ({ params }) => {
    const found = (await readAll()).find(({ account }) => account === params.name);
    if (!found) throw new PipelineError('NOT_FOUND', `find account "${maskText(params.name)}"`);
    return { ...found, forgottenSends: await readForgottenSends(ledger, found.account) };
  });
}

/** @returns adds the account's configuration, and its holds in sentences */
function tellAccount(settings: Settings, now: Date) {
  return (state: AccountState) => {
    const configured = settings.accounts.get(state.account);
    const shown = showAccount(state, settings, now);
    const timeZone = configured?.timeZone ?? 'UTC';
    const holds = describeHolds(state, timeZone);
    return {
      ...state,
      isConfigured: configured !== undefined,
      timeZone,
      currency: configured?.currency ?? null,
      shown,
      sends: shown === 'sends',
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
  shown: {
    type: 'string',
    enum: Object.keys(SHOWN_ACCOUNTS),
    description: 'The worst of what is true of it, as on the dashboard.',
  },
  sends: { ...YES_OR_NO, description: 'Whether nothing keeps it from sending; `shown` says what does.' },
  isLedgerOpen: { ...YES_OR_NO, description: 'While the ledger is closed, no account sends.' },
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

const LEFT = apiSchema({
  tag: 'Accounts',
  summary: 'What is left over of former accounts, such as after going live, and what to do about each',
  description: 'The same as "paydrop account left --json" prints. Claims are those on the host of this process.',
  query: { account: { ...TEXT, description: 'Only this account, with its former names; left out, all.' } },
  answer: objectOf({
    left: listOf(
      objectOf({
        ...each(TEXT, 'kind', 'account', 'name', 'says', 'next'),
        ...each(maybe(WHOLE), 'batchNo', 'rows'),
        fileId: maybe(TEXT),
        cents: maybe(CENTS),
        since: MOMENT,
        step: STEP,
      }),
    ),
  }),
});

const ACCOUNTS = apiSchema({
  tag: 'Accounts',
  summary: 'Every account: whether it sends, and what stops it',
  answer: objectOf({ accounts: listOf(objectOf(ACCOUNT)) }),
});

const ONE_ACCOUNT = apiSchema({
  tag: 'Accounts',
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
