import type { FastifyInstance } from 'fastify';
import { readDayReport } from '../../../workers/schedule/read-day-report.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { dayInZone } from '../../calendar/zone-time.ts';
import { listAudit } from '../../ledger/overview/list-audit.ts';
import { findFile } from '../../ledger/file/search.ts';
import { dayReportJson, type DayReport } from '../../reconcile/outputs/day-report.ts';
import type { WebContext } from '../web-context.ts';
import { apiSchema } from './api-schema.ts';
import {
  DAY,
  listOf,
  mapOf,
  MOMENT,
  NEXT,
  objectOf,
  PAGING,
  type Paging,
  shapeNamed,
  TEXT,
  WHOLE,
  YES_OR_NO,
  each,
} from './shapes.ts';

type AuditQuery = Paging & { since?: string; actor?: string; file?: string };

/** Serves the records: the day of each account, and who did what. */
export function recordsApi(server: FastifyInstance, { app }: WebContext): void {
  const { ledger, settings } = app;

  server.get<{ Querystring: { account?: string; day?: string } }>('/report', { schema: REPORT }, async ({ query }) => {
    const wanted = query.account === undefined ? [...settings.accounts.keys()] : [query.account];
    const days: DayReport[] = [];
    for (const name of wanted) {
      const account = settings.accounts.get(name);
      if (!account) throw new PipelineError('NOT_FOUND', `find account "${maskText(name)}"`);
      days.push(await readDayReport(ledger, account, query.day ?? dayInZone(app.clock.now(), account.timeZone)));
    }
    return { reports: dayReportJson(days) };
  });

  server.get<{ Querystring: AuditQuery }>('/audit', { schema: AUDIT }, async ({ query }) => {
    const { since, actor, file: words, limit, after } = query;
    const file = words === undefined ? undefined : await findFile(ledger, words);
    const filter = {
      // One more than returned shows whether there is another page.
      limit: limit + 1,
      ...(after !== undefined && { before: Number(after) }),
      ...(since !== undefined && { since: new Date(since) }),
      ...(actor !== undefined && { actor }),
      ...(file && { fileId: file.file_id }),
    };
    const found = (await listAudit(ledger, filter)).toReversed();
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
      }),
    ),
  }),
});

const AUDIT = apiSchema({
  tag: 'Records',
  summary: 'Who did what, when and why, newest first',
  query: {
    since: MOMENT,
    actor: { ...TEXT, maxLength: 100, description: 'Beginning of the actor, such as operator: or operator:ada.' },
    file: { ...TEXT, maxLength: 255, description: 'Its id, the first characters of the id, or its name.' },
    ...PAGING,
  },
  answer: objectOf({ links: listOf(shapeNamed('AuditLink')), next: NEXT }),
});
