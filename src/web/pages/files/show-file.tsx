import { saidState } from '../../../../schemas/shown.ts';
import type { ComponentChildren } from 'preact';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../../app.ts';
import { listUndecided } from '../../../ledger/doubt/unknown-rows.ts';
import { readFileFigures } from '../../../ledger/file/file-figures.ts';
import { listAudit, type AuditLink } from '../../../ledger/overview/list-audit.ts';
import { countFaults, MOST_COUNTED } from '../../../ledger/row/fault-counts.ts';
import { sumAgain } from '../../../ledger/overview/may-go-again.ts';
import { hasRowsToSend } from '../../../ledger/row/resubmissions.ts';
import { readMaker, readProposalsOf } from '../../../ledger/proposal/proposals.ts';
import { readOutputs } from '../../../ledger/file/read-file.ts';
import type { FileRow } from '../../../ledger/engine/records.ts';
import { readVersion } from '../../../ledger/profile/read-profiles.ts';
import { readHoldReasons } from '../../../explain/hold-reasons.ts';
import { readShownFile } from '../../../explain/read-blocks.ts';
import { capital, whoDid } from '../../../explain/why/sentence.ts';
import { fieldOf } from '../../access/read-form.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { Section, Table } from '../../parts/blocks.tsx';
import { Page } from '../../parts/page.tsx';
import { Moment } from '../../parts/words.tsx';
import { sendPage } from '../../send-page.ts';
import { againOf } from '../queue/selections.tsx';
import { FileActions, FileDetails, FileFacts, HoldNotice, StandingNotice } from './file-head.tsx';
import { showBatches, showPayments } from './file-lists.tsx';
import { showOverview } from './file-overview.tsx';
import { OutputTable } from './file-outputs.tsx';
import { showProblems } from './file-problems.tsx';
import { sayMerchantOf } from '../../../ledger/merchant/read-merchants.ts';
import { customsOf, fileOf, tabPath, type TabName, type TabVisit } from './read-address.ts';
import { WaitingProposals } from './told-why.tsx';

/**
 * Serves `/files/:fileId`: a head that is the same on each tab, and below it the tab that the address names. A tab reads
 * only what it shows.
 */
export function showFilePage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/files/:fileId', async (request, reply) => sendFile(app, request, reply));
}

async function sendFile(app: App, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const viewer = viewerOf(request);
  const told = await readHead(app, await fileOf(app, request));
  const { file, profile, held, proposals } = told;
  const asked = fieldOf(request.query, 'tab');
  const here = TABS.find(({ name }) => name === asked) ?? TABS[0]!;
  const shown = await here.show({ app, request, viewer }, told);
  return sendPage(
    reply,
    <Page title={file.name} viewer={viewer} path={`/files/${file.file_id}`} crumbs={CRUMBS} isLive>
      <Section title="Status" live="head">
        <FileFacts {...told} />
        <StandingNotice file={file} />
        <HoldNotice file={file} held={held} profile={profile} />
        <WaitingProposals proposals={proposals} />
        <FileActions viewer={viewer} {...told} />
        <FileDetails file={file} profile={profile} />
      </Section>
      <FileTabs told={told} here={here.name} />
      {shown}
    </Page>,
  );
}

const CRUMBS = [{ path: '/files', label: 'Files' }];

/** Reads what each tab shows: short queries, whatever the size of the file. */
async function readHead(app: App, row: FileRow) {
  const { ledger, settings } = app;
  const { file_id: fileId, file_no: fileNo, profile_version: profileNo } = row;
  const [file, figures, outputs, faults, proposals, held, maker, profile, [undecided], merchant] = await Promise.all([
    readShownFile(ledger, settings, row),
    readFileFigures(ledger, row),
    readOutputs(ledger, fileId),
    countFaults(ledger, fileNo),
    readProposalsOf(ledger, fileId),
    readHoldReasons(ledger, row),
    readMaker(ledger, fileId),
    profileNo === null ? undefined : readVersion(ledger.pool, profileNo),
    listUndecided(ledger.pool, fileNo),
    sayMerchantOf(ledger, row.account),
  ]);
  const { now, states } = figures;
  const mayHave = [now.declined, now.format_error, now.not_charged, states.cancelled].some((sum) => sum !== undefined);
  const [sum] = mayHave ? await sumAgain(ledger, againOf(fileId)) : [];
  const hasRows = sum !== undefined || (mayHave && (await hasRowsToSend(ledger, row)));
  const customs = customsOf(app, row.account);
  const more = {
    undecidedNo: undecided?.batchNo,
    hasRowsToSend: hasRows,
    again: sum?.rows ?? 0,
    customs,
    features: app.settings.features,
  };
  return { file, figures, outputs, faults, proposals, held, maker, profile, merchant, ...more };
}

type Told = Awaited<ReturnType<typeof readHead>>;

type Tab = {
  readonly name: TabName;
  /** Undefined when there is nothing to show. */
  readonly label: (told: Told) => string | undefined;
  readonly show: (visit: TabVisit, told: Told) => Promise<ComponentChildren>;
};

const TABS: readonly Tab[] = [
  { name: 'overview', label: () => 'Overview', show: showOverview },
  { name: 'payments', label: ({ file }) => (file.records ? 'Payments' : undefined), show: showPayments },
  {
    name: 'batches',
    label: ({ figures }) => (Object.keys(figures.states).length > 0 ? 'Batches' : undefined),
    show: showBatches,
  },
  { name: 'problems', label: ({ faults }) => problemsLabel(faults), show: showProblems },
  { name: 'outputs', label: ({ outputs }) => (outputs.length > 0 ? 'Outputs' : undefined), show: showOutputs },
  { name: 'history', label: () => 'History', show: showHistory },
];

function problemsLabel(faults: number): string | undefined {
  if (faults === 0) return undefined;
  return faults > MOST_COUNTED ? 'Problems, very many' : `Problems ${faults}`;
}

/** Leads to the tabs that have something to show, and to the one that is open. */
function FileTabs({ told, here }: { told: Told; here: TabName }) {
  const tabs = TABS.map(({ name, label }) => ({
    name,
    label: label(told) ?? (name === here ? capital(name) : undefined),
  }));
  return (
    <nav class="tabs" aria-label="File" data-part="tabs">
      <ul>
        {tabs
          .filter(({ label }) => label !== undefined)
          .map(({ name, label }) => (
            <li key={name}>
              <a href={tabPath(told.file, name)} aria-current={name === here ? 'page' : undefined}>
                {label}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  );
}

async function showOutputs(_visit: TabVisit, { outputs, customs }: Told) {
  return (
    <Section title="Output files" live="outputs">
      <OutputTable outputs={outputs} timeZone={customs.timeZone} />
    </Section>
  );
}

async function showHistory({ app }: TabVisit, { file: { file_id: fileId }, customs }: Told) {
  const links = await listAudit(app.ledger, { fileId, limit: SHOWN_STEPS });
  return (
    <Section title="Latest steps" live="steps">
      <LatestSteps fileId={fileId} links={links} timeZone={customs.timeZone} />
    </Section>
  );
}

/** Most audit links on the page of a file; a large file has tens of thousands. */
export const SHOWN_STEPS = 100;

/** Shows the latest moves of a file and its batches, the newest first. */
export function LatestSteps({
  fileId,
  links,
  timeZone,
}: {
  fileId: string;
  links: readonly AuditLink[];
  timeZone: string;
}) {
  return (
    <>
      <Table
        label="Latest steps"
        rows={links.toReversed()}
        empty="Nothing has happened to it yet."
        columns={[
          { title: 'When', place: 'name', cell: ({ at }) => <Moment at={at} timeZone={timeZone} /> },
          { title: 'Who', cell: ({ actor }) => whoDid(actor) },
          {
            title: 'Batch',
            isFigure: true,
            cell: ({ batch_no: no }) => no !== null && <a href={`/files/${fileId}/batches/${no}`}>{no}</a>,
          },
          { title: 'What', cell: ({ move, to_state: to }) => stepOf(move, to) },
          { title: 'Why', cell: ({ reason }) => <span class="wide">{reason}</span> },
        ]}
      />
      <p>
        <a href={`/audit?file=${fileId}`}>
          {links.length < SHOWN_STEPS
            ? 'The same in the audit trail, with the evidence'
            : 'All steps, in the audit trail'}
        </a>
      </p>
    </>
  );
}

function stepOf(move: string, to: string | null): string {
  return to === null ? move : `${move}: now ${saidState(to)}`;
}
