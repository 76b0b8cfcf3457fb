import type { FastifyInstance } from 'fastify';
import type { App } from '../../../app.ts';
import { readFileFigures } from '../../../ledger/file/file-figures.ts';
import { readLinkedFiles } from '../../../ledger/file/linked-files.ts';
import { listAudit } from '../../../ledger/overview/list-audit.ts';
import { listBatches } from '../../../ledger/batch/list-batches.ts';
import { listFaults } from '../../../ledger/row/list-faults.ts';
import { readProposalsOf } from '../../../ledger/proposal/proposals.ts';
import { readOutputs } from '../../../ledger/file/read-file.ts';
import type { FileRow } from '../../../ledger/engine/records.ts';
import { readHoldReasons } from '../../../explain/hold-reasons.ts';
import { readControlTotals } from '../../../explain/read-control-totals.ts';
import { whyFile } from '../../../explain/why/tell-why.ts';
import { type Desk, viewerOf } from '../../desk.ts';
import { Section } from '../../parts/blocks.tsx';
import { DeedLinks, Page } from '../../parts/page.tsx';
import { sendPage } from '../../send-page.ts';
import { ControlTotals } from './control-totals.tsx';
import { deedsOf, FileFacts, HoldNotice } from './file-head.tsx';
import { OutputTable } from './file-outputs.tsx';
import { LatestSteps, SHOWN_STEPS } from './latest-steps.tsx';
import { LinkedFiles } from './linked-files.tsx';
import { BatchTable } from './list-batches.tsx';
import { FaultTable } from './list-faults.tsx';
import { OutcomePart } from './outcome-part.tsx';
import { customsOf, fileOf } from './read-address.ts';
import { ToldWhy } from './told-why.tsx';
import { WaitingProposals } from './waiting-proposals.tsx';

/** Most batches and faults on this page; all of them have pages of their own. */
const SHOWN = 50;

/** Serves `/files/:fileId`: everything about one payment file, at a length that a person reads. */
export function showFilePage(server: FastifyInstance, { app }: Desk): void {
  server.get('/files/:fileId', async (request, reply) => {
    const viewer = viewerOf(request);
    const file = await fileOf(app, request);
    const told = await readAll(app, file);
    const { figures, outputs, totals, batches, faults, links, linked, proposals, held, why } = told;
    const customs = customsOf(app, file.account);
    const path = `/files/${file.file_id}`;
    return sendPage(
      reply,
      <Page title={file.name} viewer={viewer} path={path} crumbs={[{ path: '/files', label: 'Files' }]} isLive>
        <Section title="Payment file" live="head">
          <HoldNotice file={file} held={held} />
          <WaitingProposals proposals={proposals} />
          <FileFacts file={file} customs={customs} />
          <DeedLinks viewer={viewer} deeds={deedsOf(file, figures, outputs.length > 0)} base={path} />
        </Section>
        <ToldWhy why={why} />
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
          <BatchTable fileId={file.file_id} batches={batches.slice(0, SHOWN)} customs={customs} />
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

async function readAll({ ledger, settings }: App, file: FileRow) {
  const { file_id: fileId, file_no: fileNo } = file;
  const [figures, outputs, batches, faults, links, linked, proposals, held, why] = await Promise.all([
    readFileFigures(ledger, file),
    readOutputs(ledger, fileId),
    listBatches(ledger, fileId, { from: 0, limit: SHOWN + 1 }),
    listFaults(ledger, fileNo, { from: 0, limit: SHOWN + 1 }),
    listAudit(ledger, { fileId, limit: SHOWN_STEPS }),
    readLinkedFiles(ledger, fileId),
    readProposalsOf(ledger, fileId),
    readHoldReasons(ledger, settings, file),
    whyFile(ledger, settings, file),
  ]);
  const totals = await readControlTotals(ledger, file, { figures, outputs });
  return { figures, outputs, totals, batches, faults, links, linked, proposals, held, why };
}
