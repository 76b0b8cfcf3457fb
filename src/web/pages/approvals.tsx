import type { ComponentChildren } from 'preact';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mayDo } from '../../../schemas/actions.ts';
import type { HandledAction, Listing } from '../../actions/action.ts';
import { evidenceFacts, evidenceRows } from '../../actions/evidence-facts.ts';
import { handlerOf, planAction, type Planned } from '../../actions/run-action.ts';
import { sumWords } from '../../actions/subject-words.ts';
import { describeReason, readHoldReasons, remedyOf } from '../../explain/hold-reasons.ts';
import { capital, ended, whoDid } from '../../explain/why/sentence.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { FILE_ID } from '../../kernel/ids.ts';
import { type HeldFile, readHeld } from '../../ledger/file/list-files.ts';
import { readFileRow } from '../../ledger/file/read-file.ts';
import type { FileRow } from '../../ledger/engine/records.ts';
import type { FaultCount } from '../../ledger/row/fault-counts.ts';
import { listDecided } from '../../ledger/overview/list-audit.ts';
import { listPeople } from '../../ledger/person/people.ts';
import { PROPOSED_ACTIONS } from '../../ledger/proposal/confirm-proposal.ts';
import { type OpenProposal, readMakers, readOpenProposals } from '../../ledger/proposal/proposals.ts';
import { fieldOf } from '../access/read-form.ts';
import { findProofWanted } from '../access/step-up.ts';
import { actorOf, type Viewer, viewerMay } from '../access/viewer.ts';
import { finderIn } from '../actions/find-subject.ts';
import { BareForm, FactList, ListingTable, type Proof } from '../parts/action-forms.tsx';
import { addressOf } from '../parts/address.ts';
import { Notice, Section, splitPage, StepPager } from '../parts/blocks.tsx';
import { ActionLinks, Page } from '../parts/page.tsx';
import { Words } from '../parts/steps.tsx';
import { Moment } from '../parts/words.tsx';
import { sendPage } from '../send-page.ts';
import { accountAsked } from '../shell/read-shell.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { DecidedTable } from './decided-table.tsx';
import { customsOf, startOf } from './files/read-address.ts';

/** Each of them is planned, as on the page of its action. */
const PAGE = 10;

/** Serves `/approvals`: held files and proposals, each with its evidence and the form that decides it. */
export function approvalsPage(server: FastifyInstance, context: WebContext): void {
  server.get('/approvals', async (request, reply) => {
    const viewer = viewerOf(request);
    const [account, fileId] = [accountAsked(request), fieldOf(request.query, 'file')];
    const matters = (await readMatters(context, viewer)).filter(
      (matter) => (account === '' || matter.account === account) && (fileId === '' || matter.fileId === fileId),
    );
    // Only the longest waiting files are listed.
    if (matters.length === 0 && FILE_ID.test(fileId)) return reply.redirect(`/files/${fileId}/do/approve`);
    const from = startOf(request, 'from');
    const { page, more } = splitPage(matters.slice(from, from + PAGE + 1), PAGE);
    const cards: ComponentChildren[] = [];
    const visit = await openVisit(context, request);
    // One after another, so that a long list takes one connection of those that workers need.
    for (const matter of page) {
      const here = { ...visit, isMain: cards.length === 0 };
      const card = 'held' in matter ? heldCard(here, matter, matter.held) : proposalCard(here, matter, matter.proposal);
      cards.push(await card);
    }
    return sendPage(
      reply,
      <Page title="Approvals" viewer={viewer} path="/approvals" only={account}>
        {cards.length === 0 && (
          <Section title="Nothing to decide">
            <p class="empty">
              Held files are listed here until an approver decides. If an account requires two persons, so are proposals
              until a second person confirms or refuses them.
            </p>
          </Section>
        )}
        {cards}
        <StepPager
          first={from > 0 ? '/approvals' : undefined}
          next={more && addressOf('/approvals', { from: from + PAGE })}
          says={`${page.length} of ${matters.length}`}
        />
        {fileId === '' && from === 0 && (
          <Section title="Decided in the last 30 days">
            <DecidedTable rows={await listDecided(context.app.ledger, account || undefined)} />
          </Section>
        )}
        {fileId !== '' && <p>{allMatters}</p>}
      </Page>,
    );
  });
}

const allMatters = <a href="/approvals">Show all that waits for a decision</a>;

/** Something to decide, and whether this viewer made it. */
type Matter = {
  readonly fileId: string | null;
  readonly account: string;
  readonly maker: string | undefined;
  readonly isOwn: boolean;
} & ({ readonly held: HeldFile } | { readonly proposal: OpenProposal });

/** Returns what others made first. A file that is proposed already has only the card of its proposal. */
async function readMatters({ app: { ledger } }: WebContext, viewer: Viewer): Promise<Matter[]> {
  const [files, proposals] = await Promise.all([readHeld(ledger), readOpenProposals(ledger)]);
  const proposed = new Set(proposals.filter(({ action }) => action === 'approve').map((one) => one.file_id));
  const held = files.filter(({ fileId }) => !proposed.has(fileId));
  const makers = await readMakers(
    ledger,
    held.map(({ fileId }) => fileId),
  );
  const me = actorOf(viewer);
  const ofProposals = proposals.map((proposal): Matter => {
    const { file_id: fileId, account, made_by: maker } = proposal;
    return { fileId, account, maker, isOwn: maker === me, proposal };
  });
  const ofFiles = held.map((file): Matter => {
    const maker = makers.get(file.fileId);
    return { fileId: file.fileId, account: file.account, maker, isOwn: maker === me, held: file };
  });
  return [...ofProposals, ...ofFiles].toSorted((one, other) => Number(one.isOwn) - Number(other.isOwn));
}

type Visit = {
  /** Whether the card is the first, whose button is the filled one of the page. */
  readonly isMain?: boolean;
  readonly context: WebContext;
  readonly viewer: Viewer;
  readonly proof: Proof | undefined;
  /** Names of those who may approve. */
  readonly approvers: readonly string[];
};

async function openVisit(context: WebContext, request: FastifyRequest): Promise<Visit> {
  const viewer = viewerOf(request);
  const wanted = viewerMay(viewer, 'approve') ? await findProofWanted(viewer, context) : undefined;
  const people = await listPeople(context.app.ledger);
  const approvers = people
    .filter(({ role, disabledAt }) => disabledAt === null && mayDo(role, 'approve'))
    .map(({ name }) => name);
  return { context, viewer, proof: wanted && { proof: wanted, next: request.url }, approvers };
}

async function heldCard(visit: Visit, matter: Matter, { fileId, name, account, rows, cents, since }: HeldFile) {
  const { ledger, settings } = visit.context.app;
  const file = await readFileRow(ledger, fileId);
  const reasons = await readHoldReasons(ledger, file);
  return (
    <Card
      key={fileId}
      name={fileId}
      title={name}
      about={
        <>
          {sumWords({ settings }, account, rows, cents)} · {account}, {file.operation} · waits since{' '}
          <Moment at={since} timeZone={customsOf(visit.context.app, account).timeZone} />
          {matter.maker && ` · uploaded by ${whoDid(matter.maker)}`} · <a href={`/files/${fileId}`}>Open the file</a>
        </>
      }
      listing={await evidenceRows(ledger, file, reasons)}
    >
      <Reasons reasons={reasons} file={file} />
      {await decisionOf(visit, matter, { action: 'approve', other: 'decline', path: `/files/${fileId}` })}
    </Card>
  );
}

function Reasons({ reasons, file }: { reasons: readonly FaultCount[]; file: FileRow }) {
  if (reasons.length === 0)
    return <p>{`${ended(capital(file.reason ?? 'It is held'))} ${remedyOf(file.reason_code)}`}</p>;
  return (
    <ul class="sentences">
      {reasons.map((one) => (
        <li key={one.code}>{`${ended(capital(describeReason(one)))} ${remedyOf(one.code)}`}</li>
      ))}
    </ul>
  );
}

async function proposalCard(visit: Visit, matter: Matter, proposal: OpenProposal) {
  const { proposal_no: no, action, file_id: fileId, batch_no: batchNo, made_by: by, made_at: at } = proposal;
  const { app } = visit.context;
  const { name, account, rows, cents, reason, evidence, run_no: runNo } = proposal;
  const file = fileId !== null && action === 'approve' ? await readFileRow(app.ledger, fileId) : undefined;
  const reasons = file ? await readHoldReasons(app.ledger, file) : [];
  const facts = evidenceFacts(evidence);
  return (
    <Card
      key={no}
      name={`proposal-${no}`}
      title={`${fileId === null && runNo === null ? `profile ${name}` : name}${batchNo === null ? '' : `, batch ${batchNo}`}`}
      about={
        <>
          {sumWords(app, account, rows, cents)} · proposed by {whoDid(by)}{' '}
          <Moment at={at} timeZone={customsOf(app, account).timeZone} /> · <SubjectLink proposal={proposal} />
        </>
      }
      listing={file && (await evidenceRows(app.ledger, file, reasons))}
    >
      <p>{`Proposed: ${PROPOSED_ACTIONS[action]?.about ?? action}. Reason: ${reason}`}</p>
      {file && <Reasons reasons={reasons} file={file} />}
      {facts.length > 0 && <FactList facts={facts} />}
      {await decisionOf(visit, matter, { action: 'confirm', other: 'refuse', path: `/proposals/${no}` })}
    </Card>
  );
}

function SubjectLink({ proposal: { file_id: fileId, run_no: runNo, name } }: { proposal: OpenProposal }) {
  if (runNo !== null) return <a href={`/queue/selections/${runNo}`}>See the plan</a>;
  if (fileId === null) return <a href={`/profiles/${name.split(' ')[0]}`}>Open the profile</a>;
  return <a href={`/files/${fileId}`}>Open the file</a>;
}

function Card({
  name,
  title,
  about,
  listing,
  children,
}: {
  name: string;
  title: string;
  about: ComponentChildren;
  listing: Listing | undefined;
  children: ComponentChildren;
}) {
  return (
    <section class="card" aria-labelledby={`t-${name}`}>
      <div class="card-head">
        <h2 id={`t-${name}`}>{title}</h2>
      </div>
      <p class="soft">{about}</p>
      {listing && <ListingTable listing={{ ...listing, label: `${listing.label}: ${title}` }} />}
      {children}
    </section>
  );
}

type Decision = {
  readonly action: 'approve' | 'confirm';
  readonly other: 'decline' | 'refuse';
  readonly path: string;
};

/** Returns the form that decides, or says who may. The form is that of the action's own page, bound to the same plan. */
async function decisionOf(visit: Visit, matter: Matter, { action, other, path }: Decision) {
  const { viewer, context, proof, isMain } = visit;
  // To take back a proposal is a decision of its maker.
  const links: HandledAction[] = matter.isOwn && other === 'decline' ? [] : [other];
  const rest = <ActionLinks viewer={viewer} actions={links} base={path} />;
  if (matter.isOwn || !viewerMay(viewer, action))
    return (
      <>
        <p class="soft">{sayWhose(visit, matter)}</p>
        {rest}
      </>
    );
  const planned = await planOrSay(context, action, matter, actorOf(viewer));
  if ('says' in planned)
    return (
      <>
        <Notice kind="warn" title="It cannot be approved">
          <Words text={planned.says} />
        </Notice>
        {rest}
      </>
    );
  const { picks = [], asks = [] } = handlerOf(context.app.settings.features, action);
  const form = { viewer, action, path: `${path}/do/${action}`, picks, asks, filled: {}, proof };
  const { plan, bind } = planned;
  return (
    <>
      {plan.isProposal && <p>{plan.says[0]}</p>}
      <BareForm {...form} plan={plan} bind={bind} within={path.replaceAll('/', '-')} isMain={isMain ?? false} />
      {rest}
    </>
  );
}

async function planOrSay(
  context: WebContext,
  action: Decision['action'],
  matter: Matter,
  actor: string,
): Promise<Planned | { says: string }> {
  const params = 'held' in matter ? { fileId: matter.fileId } : { no: String(matter.proposal.proposal_no) };
  try {
    return await planAction(context.app, action, finderIn(context, params), { actor, filled: {} });
  } catch (error) {
    if (error instanceof PipelineError) return { says: error.message };
    throw error;
  }
}

/** More names than this are told by the role. */
const MOST_NAMES = 5;
const NAMES = new Intl.ListFormat('en', { type: 'disjunction' });

function sayWhose({ approvers }: Visit, { isOwn, maker, ...matter }: Matter): string {
  const others = approvers.filter((name) => `operator:${name}` !== maker);
  const who = others.length === 0 || others.length > MOST_NAMES ? 'An approver' : NAMES.format(others);
  const verb = 'proposal' in matter ? 'confirm it' : 'decide';
  const own = 'proposal' in matter ? 'You proposed it; another person must confirm it.' : 'You uploaded it.';
  return `${isOwn ? `${own} ` : ''}${who} can ${verb}.`;
}
