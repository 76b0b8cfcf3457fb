import type { FastifyInstance } from 'fastify';
import { OUTCOMES } from '../../../schemas/lifecycle.ts';
import { saidAnswer } from '../../../schemas/rejections.ts';
import type { App } from '../../app.ts';
import { type Blocks, readBlocks, readShown, showBatch, type ShownFile } from '../../explain/read-blocks.ts';
import { maskText } from '../../kernel/mask.ts';
import { findInvoice, type FoundRow } from '../../ledger/file/search.ts';
import { findBatchesById, type FoundBatch, type FoundFile, searchFiles } from '../../ledger/file/list-files.ts';
import { fieldOf } from '../access/read-form.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Section, Table, CardNotice, isCardNumber } from '../parts/blocks.tsx';
import { Page } from '../parts/page.tsx';
import { Count, Moment, Money, OutcomeWord, PaymentLink, StateBadge } from '../parts/words.tsx';
import { sendPage } from '../send-page.ts';
import { customsOf } from './files/read-address.ts';

/** Most results of each kind; for more, the user must narrow the search. */
const MOST = 50;

/** Serves `/search?q=`: the outcome of an invoice, and where a file or a batch of the service is. */
export function searchPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/search', async (request, reply) => {
    const words = fieldOf(request.query, 'q').slice(0, LONGEST);
    const viewer = viewerOf(request);
    const page = { viewer, path: '/search' };
    if (words === '' || isCardNumber(words))
      return sendPage(
        reply,
        <Page title="Search" {...page}>
          {words === '' ? (
            <p>
              Enter an invoice exactly as in the file, a file name or part of it, a file id or its first characters, or
              a batch id of the service.
            </p>
          ) : (
            <CardNotice />
          )}
        </Page>,
      );
    const [rows, found, batches] = await Promise.all([
      findInvoice(app.ledger, words, MOST),
      searchFiles(app.ledger, words, MOST),
      findBatchesById(app.ledger, words),
    ]);
    const files = await readShown(app.ledger, app.settings, found);
    const blocksOf = await readBlocks(app.ledger, app.settings);
    return sendPage(
      reply,
      <Page title={`Search for ${maskText(words)}`} {...page}>
        {rows.length + files.length + batches.length === 0 && (
          <p class="empty">
            Nothing has this invoice, name or id. Enter an invoice exactly as in its file; for a file name, a part is
            enough.
          </p>
        )}
        {rows.length > 0 && (
          <Section title="Rows with this invoice">
            <InvoiceTable app={app} rows={rows} blocksOf={blocksOf} />
            <More found={rows.length} />
          </Section>
        )}
        {files.length > 0 && (
          <Section title="Files">
            <FileTable app={app} files={files} />
            <More found={files.length} />
          </Section>
        )}
        {batches.length > 0 && (
          <Section title="Batches with this id">
            <BatchTable app={app} batches={batches} blocksOf={blocksOf} />
          </Section>
        )}
      </Page>,
    );
  });
}

const LONGEST = 300;

function More({ found }: { found: number }) {
  return found < MOST ? null : <p class="hint">These are the newest {MOST}. There may be more.</p>;
}

function InvoiceTable({ app, rows, blocksOf }: { app: App; rows: readonly FoundRow[]; blocksOf: Blocks }) {
  return (
    <Table
      label="Rows with this invoice"
      rows={rows}
      empty=""
      columns={[
        { title: 'File', cell: ({ fileId, name }) => <a href={`/files/${fileId}`}>{name}</a> },
        {
          title: 'Line',
          isFigure: true,
          cell: ({ fileId, line }) => <PaymentLink fileId={fileId} line={line} />,
        },
        {
          title: 'Amount',
          isFigure: true,
          cell: ({ amountCents: cents, account }) =>
            cents !== null && <Money cents={cents} currency={customsOf(app, account).currency} />,
        },
        { title: 'Payer', cell: ({ customerCode, lastFour }) => customerCode || (lastFour && `…${lastFour}`) },
        {
          title: 'Batch',
          cell: ({ account, fileId, fileState, batchNo, batchState: state }) =>
            batchNo !== null &&
            state !== null && (
              <>
                <a href={`/files/${fileId}/batches/${batchNo}`}>{batchNo}</a>{' '}
                <StateBadge of={showBatch({ state }, { account, state: fileState }, blocksOf)} />
              </>
            ),
        },
        { title: 'Outcome', cell: (row) => <Ended row={row} /> },
        {
          title: 'Message',
          cell: ({ message, code }) => <span class="wide">{message !== null && saidAnswer(message, code)}</span>,
        },
        {
          title: 'Taken',
          cell: ({ claimedAt, account }) => <Moment at={claimedAt} timeZone={customsOf(app, account).timeZone} />,
        },
      ]}
    />
  );
}

/** Shows the outcome; a row without one follows its batch or file. */
function Ended({ row: { outcome, batchNo, batchState, fileState } }: { row: FoundRow }) {
  if (outcome !== null && Object.hasOwn(OUTCOMES, outcome)) return <OutcomeWord outcome={outcome} />;
  if (fileState === 'rejected') return <>file rejected</>;
  if (batchNo === null) return <OutcomeWord outcome="invalid" />;
  return batchState === 'cancelled' ? <OutcomeWord outcome="not_sent" /> : <>none yet</>;
}

function FileTable({ app, files }: { app: App; files: readonly (FoundFile & ShownFile)[] }) {
  return (
    <Table
      label="Files"
      rows={files}
      empty=""
      columns={[
        { title: 'State', cell: (file) => <StateBadge of={file} /> },
        { title: 'Name', cell: ({ file_id: fileId, name }) => <a href={`/files/${fileId}`}>{name}</a> },
        { title: 'Account', cell: ({ account }) => account },
        { title: 'File id', cell: ({ file_id: fileId }) => <span class="id">{fileId}</span> },
        {
          title: 'Taken',
          cell: ({ claimed_at: at, account }) => <Moment at={at} timeZone={customsOf(app, account).timeZone} />,
        },
      ]}
    />
  );
}

function BatchTable({ app, batches, blocksOf }: { app: App; batches: readonly FoundBatch[]; blocksOf: Blocks }) {
  return (
    <Table
      label="Batches with this id"
      rows={batches}
      empty=""
      columns={[
        {
          title: 'State',
          cell: (batch) => (
            <StateBadge of={showBatch(batch, { account: batch.account, state: batch.fileState }, blocksOf)} />
          ),
        },
        {
          title: 'Batch',
          cell: ({ fileId, batchNo, name }) => (
            <a href={`/files/${fileId}/batches/${batchNo}`}>{`Batch ${batchNo} of ${name}`}</a>
          ),
        },
        { title: 'Account', cell: ({ account }) => account },
        { title: 'Rows', isFigure: true, cell: ({ rows }) => <Count of={rows} /> },
        {
          title: 'Total',
          isFigure: true,
          cell: ({ cents, account }) => <Money cents={cents} currency={customsOf(app, account).currency} />,
        },
      ]}
    />
  );
}
