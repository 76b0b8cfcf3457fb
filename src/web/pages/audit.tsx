import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { dayBounds } from '../../calendar/day-bounds.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { type AuditFilter, listAudit, readAuditHead } from '../../ledger/overview/list-audit.ts';
import { findFile, verifyAudit } from '../../ledger/file/search.ts';
import { fieldOf } from '../access/read-form.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Notice, Pager, Section } from '../parts/blocks.tsx';
import { Page } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';
import { sharedZone } from '../zone-of.ts';
import { type Asked, FilterForm } from './audit/filter-form.tsx';
import { LinkTable } from './audit/link-table.tsx';
import { VerifyForm, type Verified, VerifyResult } from './audit/verify.tsx';

/** Links on one page. */
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
    <Page title="Audit trail" viewer={viewer} path="/audit">
      {verified && <VerifyResult verified={verified} />}
      <FilterForm asked={asked} zone={zone} />
      {fault && <Notice kind="bad" title={fault.message} />}
      <Section title="What happened" actions={<span class="soft">the newest first</span>}>
        <LinkTable links={links} timeZone={zone} isFiltered={isFiltered(asked)} />
        <Pager
          {...(asked.before !== '' && { previous: address({ ...asked, before: '' }) })}
          {...(found.length > PAGE_LINKS && last && { next: address({ ...asked, before: String(last.seq) }) })}
          says={links.length === 0 ? '' : `links ${links[0]!.seq} to ${last!.seq}`}
        />
      </Section>
      <VerifyForm viewer={viewer} links={seq} />
    </Page>,
  );
}

function askedBy(query: unknown): Asked {
  const field = (name: string) => fieldOf(query, name);
  return {
    who: field('who'),
    file: field('file'),
    move: field('move'),
    from: field('from'),
    to: field('to'),
    before: field('before'),
  };
}

function isFiltered({ who, file, move, from, to }: Asked): boolean {
  return [who, file, move, from, to].some((field) => field !== '');
}

/** @throws PipelineError NOT_FOUND when there is no such file, USAGE for an invalid day or number */
async function readFilter(ledger: Ledger, asked: Asked, zone: string): Promise<Omit<AuditFilter, 'limit'>> {
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

/** Returns the actor; a plain name means a person. */
function actorOf(who: string): string {
  return who.includes(':') || who === 'system' || who === 'worker' ? who : `operator:${who}`;
}

function boundsOf(day: string, zone: string) {
  const bounds = dayBounds(day, zone);
  if (bounds) return bounds;
  const next = 'Write it as 2026-11-20.';
  throw new PipelineError('USAGE', `look for the day "${day.slice(0, 20)}"`, `it is no day in ${zone}`, { next });
}

function numberOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new PipelineError('USAGE', 'go to an older page', 'the address does not say which');
}

function address(asked: Asked): string {
  const given = Object.entries(asked).filter(([, value]) => value !== '');
  return given.length === 0 ? '/audit' : `/audit?${new URLSearchParams(given)}`;
}
