import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { dayBounds } from '../../calendar/calendar.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { isReadDown, type LedgerReader, type ListPage } from '../../ledger/engine/list-page.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import {
  type AuditFilter,
  type AuditLink,
  countAudit,
  listAudit,
  readAuditHead,
  readSettledEnd,
} from '../../ledger/overview/list-audit.ts';
import { listViews } from '../../ledger/person/people.ts';
import { findFile } from '../../ledger/file/search.ts';
import { fieldOf } from '../access/read-form.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { type ListColumn, ListTable, type OpenList, readPage } from '../lists/list.tsx';
import { type FixedView, ViewTabs } from '../lists/saved-views.tsx';
import { Notice, Section } from '../parts/blocks.tsx';
import { Page } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';
import { zoneOfViewer } from '../zone-of.ts';
import { BATCH_MOVES, FILE_MOVES, RUN_MOVES } from '../../../schemas/lifecycle.ts';
import { ERRORS } from '../../../schemas/errors.ts';
import { saidState } from '../../../schemas/shown.ts';
import { REFUSALS } from '../access/refusal.ts';
import { TextField } from '../parts/form.tsx';
import { Moment, State } from '../parts/words.tsx';
import { counted } from '../../kernel/counted.ts';
import { openVerification, type Verified, VerifyForm, VerifyResult } from './verify-trail.tsx';

/** Serves `/audit`: who did what, when and why, the newest first; and whether the chain is intact. */
export function auditPages(server: FastifyInstance, context: WebContext): void {
  const verify = openVerification(context);
  server.get('/audit', async (request, reply) => show(request, reply, context));
  // For a user who reloads the answer by its address.
  server.get('/audit/verify', async (_request, reply) => reply.redirect('/audit'));
  server.post('/audit/verify', async (request, reply) => show(request, reply, context, await verify()));
}

async function show(
  request: FastifyRequest,
  reply: FastifyReply,
  context: WebContext,
  verified?: Verified,
): Promise<FastifyReply> {
  const { ledger } = context.app;
  const viewer = viewerOf(request);
  const zone = zoneOfViewer(viewer, context.app.settings);
  const asked = askedBy(request.query);
  const [list, fault] = await openAuditList(context, request).then(
    (found) => [found, undefined] as const,
    (error: unknown) => {
      if (error instanceof PipelineError) return [undefined, error] as const;
      throw error;
    },
  );
  const page = list && (await readPage(list, ledger, request.query));
  const views = await listViews(ledger, viewer.person, 'audit');
  const { links } = verified ?? (await readAuditHead(ledger));
  return sendPage(
    fault ? reply.code(400) : reply,
    <Page title="Audit trail" viewer={viewer} path="/audit" only="">
      {verified && <VerifyResult verified={verified} />}
      {list && page && <ViewTabs viewer={viewer} list={list} page={page} views={views} fixed={EVERYTHING} />}
      <FilterForm asked={asked} zone={zone} />
      {fault && <Notice kind="bad" title={fault.message} />}
      {list && page && (
        <Section title="What happened">
          <ListTable
            list={list}
            page={page}
            label="Links of the audit trail"
            empty="Nothing matches. Clear a field, or show everything."
          />
        </Section>
      )}
      <VerifyForm viewer={viewer} links={links} />
    </Page>,
  );
}

const EVERYTHING: readonly FixedView[] = [
  { label: 'All', query: {} },
  { label: 'Users only', query: { who: 'operator:' } },
];

const FIELDS = ['who', 'file', 'move', 'from', 'to'] as const;

/** The filter as in the address; empty where it does not matter. */
export type AuditQuery = Readonly<Record<(typeof FIELDS)[number], string>>;

function askedBy(query: unknown): AuditQuery {
  return Object.fromEntries(FIELDS.map((name) => [name, fieldOf(query, name)])) as AuditQuery;
}

/**
 * Opens the list of the links that an address asks for.
 * @throws PipelineError NOT_FOUND when there is no such file, USAGE for an invalid day
 */
export async function openAuditList(
  { app: { ledger, settings } }: Pick<WebContext, 'app'>,
  request: FastifyRequest,
): Promise<OpenList<AuditLink, 'time'>> {
  const zone = zoneOfViewer(viewerOf(request), settings);
  const asked = askedBy(request.query);
  const filter = await readFilter(ledger, asked, zone);
  return {
    name: 'audit',
    path: '/audit',
    filter: asked,
    orders: { time: true },
    size: 100,
    columns: linkColumns(zone),
    numberOf: ({ seq }) => seq,
    read: (reader, page) => readLinks(reader, filter, page),
    count: (reader, most) => countAudit(reader, filter, most),
  };
}

/** Reads a page of links in either direction. Upwards it ends where a smaller number may still appear. */
export async function readLinks(ledger: LedgerReader, filter: AuditFilter, page: ListPage): Promise<AuditLink[]> {
  const { after, before, limit, isDescending } = page;
  const isDown = isReadDown(page);
  const place = after ?? before;
  const beyond = place === undefined ? {} : isDown ? { before: place } : { newerThan: place };
  const settled = isDown ? {} : { upTo: await readSettledEnd(ledger) };
  const oldestFirst = await listAudit(ledger, { ...filter, ...beyond, ...settled, limit, isFromOldest: !isDown });
  return isDescending ? oldestFirst.toReversed() : oldestFirst;
}

async function readFilter(ledger: Ledger, asked: AuditQuery, zone: string): Promise<AuditFilter> {
  const { who, file, move, from, to } = asked;
  return {
    ...(who !== '' && { actor: actorOf(who) }),
    ...(file !== '' && { fileId: (await findFile(ledger, file)).file_id }),
    ...(move !== '' && { move }),
    ...(from !== '' && { since: boundsOf(from, zone).from }),
    ...(to !== '' && { until: boundsOf(to, zone).until }),
  };
}

function actorOf(who: string): string {
  return who.includes(':') || NO_USERS.includes(who) ? who : `operator:${who}`;
}

const NO_USERS = ['stranger', 'system', 'worker'];

function boundsOf(day: string, zone: string) {
  const bounds = dayBounds(day, zone);
  if (bounds) return bounds;
  const next = 'Write it as 2026-11-20.';
  throw new PipelineError('USAGE', `look for the day "${day.slice(0, 20)}"`, `it is not a day in ${zone}`, { next });
}

/** Shows the filter as a GET form, so that the address of a result can be kept and shared. */
export function FilterForm({ asked, zone }: { asked: AuditQuery; zone: string }) {
  return (
    <form class="inline card no-print" action="/audit">
      <TextField
        name="who"
        label="Who"
        value={asked.who}
        hint="A name or its beginning, such as ada; operator: for all users, worker: for paydrop itself."
      />
      <TextField name="file" label="File" value={asked.file} hint="Its id or its name." />
      <Move value={asked.move} />
      <TextField name="from" type="date" label="From" value={asked.from} hint={`Days in ${zone}.`} />
      <TextField name="to" type="date" label="To" value={asked.to} />
      <button type="submit">Apply filters</button>
      <a href="/audit">Show everything</a>
    </form>
  );
}

/** Offers the known moves as suggestions only, because the trail has others, such as those of users and accounts. */
function Move({ value }: { value: string }) {
  const names = [...new Set([...FILE_MOVES, ...BATCH_MOVES, ...RUN_MOVES].map(({ name }) => name as string))].sort();
  return (
    <div class="field">
      <label for="f-move">Move</label>
      <p class="hint" id="h-move">
        Such as approve, send or pause-account.
      </p>
      <input id="f-move" name="move" type="text" value={value} list="moves" aria-describedby="h-move" />
      <datalist id="moves">
        {[...names, ...OTHER_MOVES].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}

const OTHER_MOVES = 'access-refused download export log-in log-in-failed pause-account propose resume-account'.split(
  ' ',
);

/** The columns of the audit trail: who, what, when, why, and the evidence. */
export function linkColumns(timeZone: string): ListColumn<AuditLink>[] {
  return [
    { title: 'Link', cell: ({ seq }) => seq, value: ({ seq }) => seq, isFigure: true },
    {
      title: 'When',
      sort: 'time',
      isMoment: true,
      cell: ({ at }) => <Moment at={at} timeZone={timeZone} isExact />,
      value: ({ at }) => at,
    },
    { title: 'Who', cell: ({ actor }) => actor, value: ({ actor }) => actor },
    { title: 'What', cell: (link) => <What link={link} />, value: ({ move }) => move },
    { title: 'State', value: ({ to_state: state }) => (state === null ? '' : saidState(state)) },
    { title: 'To', cell: (link) => <Whither link={link} />, value: (link) => whither(link).says },
    { title: 'Why', cell: whyOf, value: ({ reason }) => reason },
    {
      title: 'Evidence',
      cell: ({ evidence }) => <Evidence evidence={evidence} />,
      value: ({ evidence }) => (Object.keys(evidence).length === 0 ? '' : JSON.stringify(evidence)),
    },
  ];
}

/** A refusal is recorded by its code. */
function whyOf({ move, reason }: AuditLink): string {
  if (move !== 'access-refused') return reason;
  const refusals: Readonly<Record<string, { readonly says: string }>> = REFUSALS;
  const errors: Readonly<Record<string, { readonly means: string }>> = ERRORS;
  return refusals[reason]?.says ?? errors[reason]?.means ?? reason;
}

function What({ link: { move, to_state: state } }: { link: AuditLink }) {
  return (
    <>
      {move} {state && <State state={state} />}
    </>
  );
}

function Whither({ link }: { link: AuditLink }) {
  const { says, path } = whither(link);
  if (path === undefined) return says === '' ? null : <>{says}</>;
  return (
    <a class="id" href={path}>
      {says}
    </a>
  );
}

/** Returns what something was done to, and where that is shown. */
function whither({ file_id: fileId, batch_no: batchNo, evidence }: AuditLink): { says: string; path?: string } {
  if (fileId !== null && batchNo !== null)
    return { says: `${fileId}/${batchNo}`, path: `/files/${fileId}/batches/${batchNo}` };
  if (fileId !== null) return { says: fileId, path: `/files/${fileId}` };
  const { account } = evidence;
  return { says: typeof account !== 'string' ? '' : account === '*' ? 'all accounts' : account };
}

function Evidence({ evidence }: { evidence: Record<string, unknown> }) {
  const facts = Object.entries(evidence);
  if (facts.length === 0) return null;
  return (
    <details>
      <summary>{counted(facts.length, 'fact')}</summary>
      <dl class="evidence">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code class="wrap">{typeof value === 'string' ? value : JSON.stringify(value)}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
