import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { dayBounds } from '../../calendar/calendar.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { type AuditFilter, listAudit, readAuditHead, type AuditLink } from '../../ledger/overview/list-audit.ts';
import { findFile, verifyAudit } from '../../ledger/file/search.ts';
import { fieldOf } from '../access/read-form.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { addressOf } from '../parts/address.ts';
import { Notice, Pager, Section, Table } from '../parts/blocks.tsx';
import { Page, Token } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';
import { sharedZone } from '../zone-of.ts';
import { BATCH_MOVES, FILE_MOVES, RUN_MOVES } from '../../../schemas/lifecycle.ts';
import { TextField } from '../parts/form.tsx';
import type { Viewer } from '../access/viewer.ts';
import { Count, Moment, State } from '../parts/words.tsx';
import { counted } from '../../kernel/counted.ts';

const PAGE_LINKS = 100;

/** Serves `/audit`: who did what, when and why, the newest first; and whether the chain is intact. */
export function auditPages(server: FastifyInstance, context: WebContext): void {
  const verify = openVerification(context);
  server.get('/audit', async (request, reply) => show(request, reply, context));
  // For a user who reloads the answer by its address.
  server.get('/audit/verify', async (_request, reply) => reply.redirect('/audit'));
  server.post('/audit/verify', async (request, reply) => show(request, reply, context, await verify()));
}

/** Verifies the whole trail; concurrent requests share one read. */
function openVerification({ app: { ledger, clock } }: WebContext): () => Promise<Verified> {
  let running: Promise<Verified> | undefined;
  const read = async (): Promise<Verified> => {
    const begunAt = clock.now();
    const brokenAt = await verifyAudit(ledger);
    const head = await readAuditHead(ledger);
    return { brokenAt, ...head, tookMs: clock.now().getTime() - begunAt.getTime() };
  };
  return () => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function show(
  request: FastifyRequest,
  reply: FastifyReply,
  { app: { ledger, settings } }: WebContext,
  verified?: Verified,
): Promise<FastifyReply> {
  const viewer = viewerOf(request);
  const zone = sharedZone(settings);
  const asked = askedBy(request.query);
  const [filter, fault] = await readFilter(ledger, asked, zone).then(
    (found) => [found, undefined] as const,
    (error: unknown) => {
      if (error instanceof PipelineError) return [undefined, error] as const;
      throw error;
    },
  );
  // One more than shown tells whether an older page follows.
  const found = filter ? (await listAudit(ledger, { ...filter, limit: PAGE_LINKS + 1 })).toReversed() : [];
  const links = found.slice(0, PAGE_LINKS);
  const last = links.at(-1);
  const { seq } = verified ?? (await readAuditHead(ledger));
  return sendPage(
    fault ? reply.code(400) : reply,
    <Page title="Audit trail" viewer={viewer} path="/audit" only="">
      {verified && <VerifyResult verified={verified} />}
      <FilterForm asked={asked} zone={zone} />
      {fault && <Notice kind="bad" title={fault.message} />}
      <Section title="What happened" actions={<span class="soft">the newest first</span>}>
        <LinkTable links={links} timeZone={zone} isFiltered={isFiltered(asked)} />
        <Pager
          {...(asked.before !== '' && { previous: addressOf('/audit', { ...asked, before: '' }) })}
          {...(found.length > PAGE_LINKS && last && { next: addressOf('/audit', { ...asked, before: last.seq }) })}
          says={links.length === 0 ? '' : `links ${links[0]!.seq} to ${last!.seq}`}
        />
      </Section>
      <VerifyForm viewer={viewer} links={seq} />
    </Page>,
  );
}

const FIELDS = ['who', 'file', 'move', 'from', 'to', 'before'] as const;

/** The filter as in the address; empty where it does not matter. */
export type AuditQuery = Readonly<Record<(typeof FIELDS)[number], string>>;

function askedBy(query: unknown): AuditQuery {
  return Object.fromEntries(FIELDS.map((name) => [name, fieldOf(query, name)])) as AuditQuery;
}

function isFiltered({ who, file, move, from, to }: AuditQuery): boolean {
  return [who, file, move, from, to].some((field) => field !== '');
}

/** @throws PipelineError NOT_FOUND when there is no such file, USAGE for an invalid day or number */
async function readFilter(ledger: Ledger, asked: AuditQuery, zone: string): Promise<Omit<AuditFilter, 'limit'>> {
  const { who, file, move, from, to, before } = asked;
  return {
    ...(who !== '' && { actor: actorOf(who) }),
    ...(file !== '' && { fileId: (await findFile(ledger, file)).file_id }),
    ...(move !== '' && { move }),
    ...(from !== '' && { since: boundsOf(from, zone).from }),
    ...(to !== '' && { until: boundsOf(to, zone).until }),
    ...(before !== '' && { before: numberOf(before) }),
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

function numberOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new PipelineError('USAGE', 'go to an older page', 'the address does not name one');
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
      <button type="submit">Look</button>
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

const OTHER_MOVES = 'access-refused download log-in log-in-failed pause-account propose resume-account'.split(' ');

type Verified = {
  readonly brokenAt: number | undefined;
  readonly seq: number;
  readonly hash: string;
  readonly tookMs: number;
};

/** Links read per second on a small host, to estimate the time beforehand. */
const LINKS_A_SECOND = 60_000;

/** Lets users verify for themselves that nothing was altered. */
export function VerifyForm({ viewer, links }: { viewer: Viewer; links: number }) {
  const seconds = Math.ceil(links / LINKS_A_SECOND);
  return (
    <Section title="Is the trail complete">
      <p>Each link contains the hash of the previous one, so a changed, missing or forged link shows.</p>
      <p class="hint" id="verify-hint">
        All <Count of={links} /> links are read.{' '}
        {seconds > 2 ? `That may take about ${seconds} seconds.` : 'That takes a moment.'}
      </p>
      <form method="post" action="/audit/verify">
        <Token viewer={viewer} />
        <button type="submit" aria-describedby="verify-hint">
          Check the whole trail
        </button>
      </form>
    </Section>
  );
}

export function VerifyResult({ verified: { brokenAt, seq, hash, tookMs } }: { verified: Verified }) {
  if (brokenAt !== undefined) {
    return (
      <Notice kind="bad" title={`The audit trail is broken at link ${brokenAt}`}>
        <p>
          That link was changed, or one before it is missing. Compare with a backup, and stop work until the cause is
          known.
        </p>
      </Notice>
    );
  }
  return (
    <Notice kind="good" title="The audit trail is complete">
      <p>
        <Count of={seq} /> links, read in {(tookMs / 1_000).toFixed(1)} s. The last hash is{' '}
        <code class="wrap">{hash}</code>. Keep it elsewhere: an attacker with full database access could write a new
        trail, but not one with this hash.
      </p>
    </Notice>
  );
}

/** Shows links of the audit trail: who, what, when, why, and the evidence. */
export function LinkTable({
  links,
  timeZone,
  isFiltered,
}: {
  links: readonly AuditLink[];
  timeZone: string;
  isFiltered: boolean;
}) {
  return (
    <Table
      label="Links of the audit trail"
      rows={links}
      empty={
        isFiltered
          ? 'Nothing matches. Clear a field, or show everything.'
          : 'Nothing has happened yet. Every change to a file, batch, account or user is listed here, with who and why.'
      }
      columns={[
        { title: 'Link', cell: ({ seq }) => seq, isFigure: true },
        { title: 'When', cell: ({ at }) => <Moment at={at} timeZone={timeZone} isExact /> },
        { title: 'Who', cell: ({ actor }) => actor },
        { title: 'What', cell: (link) => <What link={link} /> },
        { title: 'To', cell: (link) => <Whither link={link} /> },
        { title: 'Why', cell: ({ reason }) => reason },
        { title: 'Evidence', cell: ({ evidence }) => <Evidence evidence={evidence} /> },
      ]}
    />
  );
}

function What({ link: { move, to_state: state } }: { link: AuditLink }) {
  return (
    <>
      {move} {state && <State state={state} />}
    </>
  );
}

function Whither({ link: { file_id: fileId, batch_no: batchNo, evidence } }: { link: AuditLink }) {
  if (fileId !== null) {
    return (
      <a class="id" href={batchNo === null ? `/files/${fileId}` : `/files/${fileId}/batches/${batchNo}`}>
        {batchNo === null ? fileId : `${fileId}/${batchNo}`}
      </a>
    );
  }
  const { account } = evidence;
  return typeof account === 'string' ? <>{account === '*' ? 'all accounts' : account}</> : null;
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
