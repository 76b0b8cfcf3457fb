import { saidState } from '../../../../schemas/shown.ts';
import type { FastifyInstance } from 'fastify';
import type { App } from '../../../app.ts';
import { readFileFigures } from '../../../ledger/file/file-figures.ts';
import { type LinkedFile, type LinkKind, readLinkedFiles, listBatches } from '../../../ledger/file/list-files.ts';
import { listAudit, type AuditLink } from '../../../ledger/overview/list-audit.ts';
import { listFaults } from '../../../ledger/row/fault-counts.ts';
import { readProposalsOf } from '../../../ledger/proposal/proposals.ts';
import { readOutputs } from '../../../ledger/file/read-file.ts';
import type { FileRow } from '../../../ledger/engine/records.ts';
import { readVersion } from '../../../ledger/profile/read-profiles.ts';
import { readHoldReasons } from '../../../explain/hold-reasons.ts';
import { readControlTotals, type ToldTotal } from '../../../explain/read-control-totals.ts';
import { readBlocks, readShown, readShownFile, type ShownFile } from '../../../explain/read-blocks.ts';
import { whyFile } from '../../../explain/why/tell-why.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { Section, Table } from '../../parts/blocks.tsx';
import { ActionLinks, Page } from '../../parts/page.tsx';
import { sendPage } from '../../send-page.ts';
import { actionsOf, FileFacts, HoldNotice, OutcomePart, StandingNotice } from './file-head.tsx';
import { OutputTable } from './file-outputs.tsx';
import { BatchTable, FaultTable } from './file-lists.tsx';
import { customsOf, fileOf } from './read-address.ts';
import { ToldWhy, WaitingProposals } from './told-why.tsx';
import { Count, Moment, StateBadge } from '../../parts/words.tsx';

/** Most batches and faults on this page; all of them have pages of their own. */
const SHOWN = 50;

/** Serves `/files/:fileId`: everything about one payment file, at a length that a person reads. */
export function showFilePage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/files/:fileId', async (request, reply) => {
    const viewer = viewerOf(request);
    const file = await readShownFile(app.ledger, app.settings, await fileOf(app, request));
    const told = await readAll(app, file);
    const { figures, outputs, totals, batches, faults, links, linked, proposals, held, why, profile, blocksOf } = told;
    const customs = customsOf(app, file.account);
    const path = `/files/${file.file_id}`;
    return sendPage(
      reply,
      <Page title={file.name} viewer={viewer} path={path} crumbs={[{ path: '/files', label: 'Files' }]} isLive>
        <Section title="Payment file" live="head">
          <StandingNotice file={file} />
          <HoldNotice file={file} held={held} profile={profile} />
          <WaitingProposals proposals={proposals} />
          <FileFacts file={file} customs={customs} profile={profile} />
          <ActionLinks viewer={viewer} actions={actionsOf(file, figures, outputs.length > 0)} base={path} />
        </Section>
        <ToldWhy why={why} viewer={viewer} />
        <Section title="Outcomes" live="outcomes">
          <OutcomePart fileId={file.file_id} figures={figures} currency={customs.currency} />
          <p>
            <a href={`${path}/rows`}>All rows</a>
          </p>
        </Section>
        <Section title="Control totals" live="totals">
          <ControlTotals totals={totals} />
        </Section>
        <Section title="Batches" live="batches">
          <BatchTable file={file} batches={batches.slice(0, SHOWN)} customs={customs} blocksOf={blocksOf} />
          {batches.length > SHOWN && (
            <p>
              <a href={`${path}/batches`}>All batches</a>
            </p>
          )}
        </Section>
        <Section title="Faults" live="faults">
          <FaultTable faults={faults.slice(0, SHOWN)} />
          {faults.length > SHOWN && (
            <p>
              <a href={`${path}/faults`}>All faults</a>
            </p>
          )}
        </Section>
        <Section title="Output files" live="outputs">
          <OutputTable outputs={outputs} timeZone={customs.timeZone} />
        </Section>
        <Section title="Linked files" live="linked">
          <LinkedFiles files={linked} timeZone={customs.timeZone} />
        </Section>
        <Section title="Latest steps" live="steps">
          <LatestSteps fileId={file.file_id} links={links} timeZone={customs.timeZone} />
        </Section>
      </Page>,
    );
  });
}

async function readAll(app: App, file: FileRow) {
  const { ledger, settings } = app;
  const { file_id: fileId, file_no: fileNo, profile_version: profileNo } = file;
  const [figures, outputs, batches, faults, links, linked, proposals, held, why, profile, blocksOf] = await Promise.all(
    [
      readFileFigures(ledger, file),
      readOutputs(ledger, fileId),
      listBatches(ledger, fileId, { from: 0, limit: SHOWN + 1 }),
      listFaults(ledger, fileNo, { from: 0, limit: SHOWN + 1 }),
      listAudit(ledger, { fileId, limit: SHOWN_STEPS }),
      readLinked(app, file),
      readProposalsOf(ledger, fileId),
      readHoldReasons(ledger, settings, file),
      whyFile(ledger, settings, file),
      profileNo === null ? undefined : readVersion(ledger.pool, profileNo),
      readBlocks(ledger, settings),
    ],
  );
  const totals = await readControlTotals(ledger, file, { figures, outputs });
  return { figures, outputs, totals, batches, faults, links, linked, proposals, held, why, profile, blocksOf };
}

type ShownLink = LinkedFile & { readonly shown: ShownFile | undefined };

/** Reads the files related to this one, and how each of them stands; all are of the same account. */
async function readLinked({ ledger, settings }: App, { file_id, account }: FileRow): Promise<ShownLink[]> {
  const linked = await readLinkedFiles(ledger, file_id);
  const taken = linked.flatMap(({ fileId, state }) => (fileId && state ? [{ file_id: fileId, account, state }] : []));
  const shown = new Map((await readShown(ledger, settings, taken)).map((file) => [file.file_id, file]));
  return linked.map((link) => ({ ...link, shown: shown.get(link.fileId ?? '') }));
}

/** Shows files related to this one. */
export function LinkedFiles({ files, timeZone }: { files: readonly ShownLink[]; timeZone: string }) {
  return (
    <Table
      label="Linked files"
      rows={files}
      empty="None. Files with rows of this file, or with the same content, are listed here."
      columns={[
        { title: 'How', cell: ({ kind }) => WORDS[kind] },
        {
          title: 'File',
          cell: ({ fileId, name }) => (fileId === null ? name : <a href={`/files/${fileId}`}>{name}</a>),
        },
        {
          title: 'State',
          cell: ({ shown }) => (shown ? <StateBadge of={shown} /> : 'has not been taken from its folder yet'),
        },
        { title: 'Rows', isFigure: true, cell: ({ rows }) => rows !== null && <Count of={rows} /> },
        { title: 'When', cell: ({ at }) => <Moment at={at} timeZone={timeZone} /> },
      ]}
    />
  );
}

const WORDS: Readonly<Record<LinkKind, string>> = {
  made_from: 'This file has rows of',
  resubmitted_as: 'Rows of this file were resubmitted as',
  duplicate_of: 'This file has the content of',
  repeated_by: 'The same content was dropped again as',
};

/** Shows the control totals of a file: what must be equal at each hand-over, both figures, and the result. */
export function ControlTotals({ totals }: { totals: readonly ToldTotal[] }) {
  return (
    <Table
      label="Control totals"
      rows={totals}
      empty="The file was refused and nothing in it was sent, so there are no totals to compare. Its faults say why."
      columns={[
        { title: 'Check', cell: ({ id }) => id },
        { title: 'Compared', cell: ({ id }) => ABOUT[id] ?? '' },
        { title: 'Figures', cell: ({ says }) => <span class="wide">{says}</span> },
        { title: 'Result', cell: ({ state }) => <span class={`state ${TONES[state]}`}>{state}</span> },
      ]}
    />
  );
}

const TONES = { agree: 'good', differ: 'bad', 'not yet': 'busy', 'not needed': 'quiet' } as const;

const ABOUT: Readonly<Record<string, string>> = {
  H0: "The sender's control file and the received file",
  H1: 'The bytes taken and the bytes read',
  H2: 'The lines of the file and its rows',
  H3: 'All rows, and the valid and withheld rows',
  H4: 'The valid rows and the batches cut from them',
  H5: 'The bytes of each batch and its rows, read by another reader',
  H6: 'The rows of the results and the rows sent',
  H7: 'The outcomes and the batches',
  H8: 'The output files on the disk and the ledger',
};

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
          { title: 'When', cell: ({ at }) => <Moment at={at} timeZone={timeZone} /> },
          { title: 'Who', cell: ({ actor }) => whoOf(actor) },
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

function whoOf(actor: string): string {
  return actor.startsWith('operator:') ? actor.slice('operator:'.length) : 'paydrop';
}

function stepOf(move: string, to: string | null): string {
  return to === null ? move : `${move}: now ${saidState(to)}`;
}
