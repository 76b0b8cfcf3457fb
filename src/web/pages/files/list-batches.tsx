import type { FastifyInstance } from 'fastify';
import { type ListedBatch, listBatches } from '../../../ledger/batch/list-batches.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { addressOf } from '../../parts/address.ts';
import { Section, Table, splitPage, StepPager } from '../../parts/blocks.tsx';
import { Page } from '../../parts/page.tsx';
import { Count, Moment, Money, State } from '../../parts/words.tsx';
import { sendPage } from '../../send-page.ts';
import { type Customs, customsOf, fileOf, startOf } from './read-address.ts';

const PAGE_BATCHES = 100;

/** Serves `/files/:fileId/batches`: all batches of a file, by number. */
export function listBatchesPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/files/:fileId/batches', async (request, reply) => {
    const file = await fileOf(app, request);
    const from = startOf(request, 'from');
    const path = `/files/${file.file_id}/batches`;
    const found = await listBatches(app.ledger, file.file_id, { from, limit: PAGE_BATCHES + 1 });
    const { page, more } = splitPage(found, PAGE_BATCHES);
    return sendPage(
      reply,
      <Page
        title="Batches"
        viewer={viewerOf(request)}
        path={path}
        crumbs={[
          { path: '/files', label: 'Files' },
          { path: `/files/${file.file_id}`, label: file.name },
        ]}
        isLive
      >
        <Section title={`Batches of ${file.name}`} live="batches">
          <BatchTable fileId={file.file_id} batches={page} customs={customsOf(app, file.account)} />
          <StepPager
            first={from > 1 ? path : undefined}
            next={more && addressOf(path, { from: more.batch_no })}
            says={`From batch ${page[0]?.batch_no ?? from}`}
          />
        </Section>
      </Page>,
    );
  });
}

export function BatchTable({
  fileId,
  batches,
  customs: { timeZone, currency },
}: {
  fileId: string;
  batches: readonly ListedBatch[];
  customs: Customs;
}) {
  return (
    <Table
      label="Batches"
      rows={batches}
      empty="No batches. The valid rows of a file are cut into batches when its checks have passed; each is sent in one call."
      columns={[
        { title: 'Batch', cell: ({ batch_no: no }) => <a href={`/files/${fileId}/batches/${no}`}>Batch {no}</a> },
        { title: 'State', cell: ({ state }) => <State state={state} /> },
        { title: 'Rows', isFigure: true, cell: ({ rows }) => <Count of={rows} /> },
        { title: 'Total', isFigure: true, cell: ({ cents }) => <Money cents={cents} currency={currency} /> },
        { title: "Service's id", cell: ({ batch_id: id }) => id !== null && <span class="id">{id}</span> },
        { title: 'Attempt', isFigure: true, cell: ({ attempt }) => attempt },
        { title: 'Sent', cell: ({ submitted_at: at }) => at && <Moment at={at} timeZone={timeZone} /> },
        { title: 'Result', cell: ({ result_at: at }) => at && <Moment at={at} timeZone={timeZone} /> },
        { title: 'Why', cell: ({ reason }) => reason !== null && <span class="wide">{reason}</span> },
      ]}
    />
  );
}
