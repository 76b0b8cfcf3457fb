import type { FastifyInstance } from 'fastify';
import type { App } from '../../app.ts';
import {
  type Blocks,
  readBlocks,
  readShown,
  type SaidPayment,
  showBatch,
  type ShownFile,
} from '../../explain/read-blocks.ts';
import { type Findings, isNothing, MOST_FOUND, searchLedger, SECOND_FACT } from '../../explain/search.ts';
import { capital } from '../../explain/why/sentence.ts';
import { maskName } from '../../kernel/mask.ts';
import type { FoundBatch, FoundFile } from '../../ledger/file/list-files.ts';
import { fieldOf } from '../access/read-form.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Section, Table } from '../parts/blocks.tsx';
import { LONG_NUMBER_HINT, Page, WITHOUT_LONG_NUMBER } from '../parts/page.tsx';
import { Count, Moment, Money, PaymentLink, StateBadge, said } from '../parts/words.tsx';
import { sendPage } from '../send-page.ts';
import { zoneOfViewer } from '../zone-of.ts';
import { customsOf } from './files/read-address.ts';

/** Serves `/search?q=`: what became of payments, and where a file or a batch of the service is. */
export function searchPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/search', async (request, reply) => {
    const words = fieldOf(request.query, 'q').slice(0, LONGEST);
    const viewer = viewerOf(request);
    // Word by word, because facts are no groups of one number.
    const shown = words.replaceAll(/\S+/g, maskName);
    const found =
      words === ''
        ? undefined
        : await searchLedger(app.ledger, app.settings, words, zoneOfViewer(viewer, app.settings));
    const results = found && (await showFindings(app, found));
    return sendPage(
      reply,
      <Page title={found ? `Search for ${shown}` : 'Search'} viewer={viewer} path="/search" only="">
        <SearchForm words={shown === words ? words : ''} />
        {results}
      </Page>,
    );
  });
}

const LONGEST = 300;

function SearchForm({ words }: { words: string }) {
  return (
    <form action="/search" class="inline filter">
      <div class="field">
        <label for="f-q">Invoice, amount, day, last four digits, file or batch id</label>
        <input
          id="f-q"
          type="search"
          name="q"
          value={words}
          autocomplete="off"
          pattern={WITHOUT_LONG_NUMBER}
          title={LONG_NUMBER_HINT}
        />
      </div>
      <div>
        <button type="submit">Search</button>
      </div>
      <details>
        <summary>What you can search for</summary>
        <dl class="facts">
          {EXAMPLES.map(([example, means]) => (
            <div key={example}>
              <dt>{example}</dt>
              <dd>{means}</dd>
            </div>
          ))}
        </dl>
      </details>
    </form>
  );
}

const EXAMPLES = [
  ['inv-47', 'an invoice or a file name that begins so, in any case'],
  ['87.50, >500, 10..20', 'an amount, with a currency or an account if you like: 87.50 usd'],
  ['4242 87.50, last:4242 today', 'a card by its last four digits, with an amount, a day or an account'],
  ['today, last week, nov, 2026-11-22', 'the day when the file was received'],
  ['declined, try later, code:15', 'an outcome, what to do about it, or a rejection code'],
  ['cust:C-19', 'a customer code that begins so'],
  ['jmq3, 1000334, june.csv/2', 'the first characters of a file id, a batch id of the service, or a batch of a file'],
  ['"May dues"', 'exactly these words'],
] as const;

async function showFindings(app: App, found: Findings) {
  const { payments, batches, more, notes } = found;
  const [files, blocksOf] = await Promise.all([
    readShown(app.ledger, app.settings, found.files),
    readBlocks(app.ledger, app.settings),
  ]);
  return (
    <>
      {notes.map((note) => (
        <p class="hint" key={note}>
          {said(note)}
        </p>
      ))}
      {isNothing(found) && !notes.includes(SECOND_FACT) && (
        <p class="empty">
          Nothing fits. An invoice, a customer code and a file name are found by their first characters; a part of a
          file name is enough for the newest files.
        </p>
      )}
      {payments.length > 0 && (
        <Section title="Payments">
          <PaymentTable app={app} payments={payments} />
          <More kind="payments" more={more} />
        </Section>
      )}
      {files.length > 0 && (
        <Section title="Files">
          <FileTable app={app} files={files} />
          <More kind="files" more={more} />
        </Section>
      )}
      {batches.length > 0 && (
        <Section title="Batches">
          <BatchTable app={app} batches={batches} blocksOf={blocksOf} />
        </Section>
      )}
    </>
  );
}

function More({ kind, more }: { kind: Findings['more'][number]; more: Findings['more'] }) {
  if (!more.includes(kind)) return null;
  return (
    <p class="hint">
      {MOST_FOUND}+ {kind} fit; these are the newest. Add an amount, a day or an account to find fewer.
    </p>
  );
}

function PaymentTable({ app, payments }: { app: App; payments: readonly SaidPayment[] }) {
  return (
    <Table
      label="Payments"
      rows={payments}
      empty=""
      columns={[
        {
          title: 'Payment',
          cell: ({ fileId, invoice, line }) => (
            <PaymentLink fileId={fileId} line={line}>
              {invoice || `line ${line}`}
            </PaymentLink>
          ),
          place: 'name',
        },
        {
          title: 'Amount',
          isFigure: true,
          cell: ({ amountCents: cents, account }) =>
            cents !== null && <Money cents={cents} currency={customsOf(app, account).currency} />,
          place: 'amount',
        },
        { title: 'Outcome', cell: ({ word, tone }) => <span class={`state ${tone}`}>{word}</span>, place: 'of-state' },
        { title: 'What it means', cell: ({ means }) => <span class="wide">{capital(means)}</span> },
        {
          title: 'What to do',
          cell: ({ advice }) => <span class="wide">{advice === null ? '' : capital(advice)}</span>,
        },
        { title: 'Number', cell: ({ lastFour }) => lastFour && `••${lastFour}` },
        { title: 'Customer code', cell: ({ customerCode }) => customerCode },
        { title: 'File', cell: ({ fileId, name, line }) => <a href={`/files/${fileId}`}>{`${name}, line ${line}`}</a> },
        { title: 'Account', cell: ({ account }) => account },
        {
          title: 'Received',
          cell: ({ claimedAt, account }) => <Moment at={claimedAt} timeZone={customsOf(app, account).timeZone} />,
        },
      ]}
    />
  );
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
          title: 'Received',
          cell: ({ claimed_at: at, account }) => <Moment at={at} timeZone={customsOf(app, account).timeZone} />,
        },
      ]}
    />
  );
}

function BatchTable({ app, batches, blocksOf }: { app: App; batches: readonly FoundBatch[]; blocksOf: Blocks }) {
  return (
    <Table
      label="Batches"
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
