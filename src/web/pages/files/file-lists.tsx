import type { FastifyRequest } from 'fastify';
import { FINAL_BATCH_STATES, OUTCOMES, type Outcome } from '../../../../schemas/lifecycle.ts';
import { SHOWN_OUTCOMES } from '../../../../schemas/shown.ts';
import { rejectionOf } from '../../../../schemas/rejections.ts';
import { type ListedRow, listRows, type RowFilter } from '../../../ledger/row/list-rows.ts';
import { type Blocks, readBlocks, showBatch } from '../../../explain/read-blocks.ts';
import type { FileRow } from '../../../ledger/engine/records.ts';
import { fieldOf } from '../../access/read-form.ts';
import { Section, Table, CardNotice, isCardNumber, splitPage, StepPager } from '../../parts/blocks.tsx';
import { ChoiceField, TextField } from '../../parts/form.tsx';
import { Money, OutcomeWord, Count, Moment, StateBadge } from '../../parts/words.tsx';
import type { HeadFacts } from './file-head.tsx';
import { startOf, tabPath, type TabVisit, type Customs } from './read-address.ts';
import { type ListedBatch, listBatches } from '../../../ledger/file/list-files.ts';

const PAGE = 100;

/** Shows the rows of a file in its order, with their outcomes. */
export async function showPayments({ app, request }: TabVisit, { file, customs }: Pick<HeadFacts, 'file' | 'customs'>) {
  const asked = askedOf(request);
  const found = asked.isCard ? [] : await listRows(app.ledger, file, { ...filterOf(asked), limit: PAGE + 1 });
  const { page, more } = splitPage(found, PAGE);
  const at = (from?: number) =>
    tabPath(file, 'payments', {
      outcome: asked.outcome,
      invoice: asked.invoice,
      batch: asked.batch || undefined,
      from,
    });
  return (
    <>
      {asked.isCard && <CardNotice />}
      <Section title="Payments">
        <FilterForm path={`/files/${file.file_id}`} asked={asked} />
        <RowTable file={file} rows={page} currency={customs.currency} />
        <StepPager
          first={asked.from > 1 ? at() : undefined}
          next={more && at(more.line)}
          says={page.length === 0 ? '' : `Lines ${page[0]!.line} to ${page.at(-1)!.line}`}
        />
      </Section>
    </>
  );
}

type RowQuery = { outcome: string; invoice: string; batch: number; from: number; isCard: boolean };

function askedOf(request: FastifyRequest): RowQuery {
  const invoice = fieldOf(request.query, 'invoice');
  const isCard = isCardNumber(invoice);
  return {
    outcome: fieldOf(request.query, 'outcome'),
    invoice: isCard ? '' : invoice,
    batch: startOf(request, 'batch'),
    from: startOf(request, 'from'),
    isCard,
  };
}

function filterOf({ outcome, invoice, batch, from }: RowQuery): Omit<RowFilter, 'limit'> {
  const isKnown = outcome === 'open' || Object.hasOwn(OUTCOMES, outcome);
  return {
    outcome: isKnown ? (outcome as Outcome | 'open') : undefined,
    invoice: invoice || undefined,
    batch: batch || undefined,
    from,
  };
}

const OUTCOME_CHOICES = [
  { value: '', label: 'Any outcome' },
  ...(Object.keys(OUTCOMES) as Outcome[]).map((value) => ({
    value,
    label: `${SHOWN_OUTCOMES[value].word}: ${OUTCOMES[value].means}`,
  })),
  { value: 'open', label: 'None yet: the batch is not final' },
];

function FilterForm({ path, asked: { outcome, invoice, batch, from } }: { path: string; asked: RowQuery }) {
  return (
    <form action={path} class="inline filter">
      <input type="hidden" name="tab" value="payments" />
      <ChoiceField name="outcome" label="Outcome" choices={OUTCOME_CHOICES} value={outcome} />
      <TextField name="invoice" label="Invoice, exactly" type="search" value={invoice} autocomplete="off" />
      <TextField name="batch" label="Batch" type="number" value={batch === 0 ? '' : String(batch)} />
      <TextField name="from" label="From line" type="number" value={from === 0 ? '' : String(from)} />
      <div>
        <button type="submit">Show</button>
      </div>
    </form>
  );
}

function RowTable({
  file,
  rows,
  currency,
}: {
  file: FileRow;
  rows: readonly ListedRow[];
  currency?: string | undefined;
}) {
  return (
    <Table
      label="Rows"
      rows={rows}
      empty={
        <>
          No row matches. Rows are listed here after the file has been read.{' '}
          <a href={tabPath(file, 'payments')}>Show all rows</a>
        </>
      }
      columns={[
        { title: 'Line', isFigure: true, cell: ({ line }) => line },
        { title: 'Invoice', cell: ({ invoice }) => invoice },
        { title: 'Customer code', cell: ({ customer_code: code }) => code },
        {
          title: 'Amount',
          isFigure: true,
          cell: ({ amount_cents: cents }) => cents !== null && <Money cents={cents} currency={currency} />,
        },
        { title: 'Last digits', cell: ({ last_four: end }) => end !== '' && <span class="id">…{end}</span> },
        {
          title: 'Batch',
          isFigure: true,
          cell: ({ batch_no: no }) => no !== null && <a href={`/files/${file.file_id}/batches/${no}`}>{no}</a>,
        },
        { title: 'Outcome', cell: (row) => <RowOutcome row={row} /> },
        {
          title: 'Code',
          cell: ({ code }) => code !== null && <span class="wide">{`${code}: ${rejectionOf(code).message}`}</span>,
        },
        { title: 'Message', cell: ({ message }) => <span class="wide">{message}</span> },
      ]}
    />
  );
}

/** Shows the outcome. A row without one was withheld, will never be sent, or waits for the end of its batch. */
function RowOutcome({ row: { outcome, batch_no: batchNo, batch_state: state } }: { row: ListedRow }) {
  if (outcome !== null) return <OutcomeWord outcome={outcome} />;
  if (batchNo === null) return <OutcomeWord outcome="invalid" />;
  const isEnded = state === null || (FINAL_BATCH_STATES as readonly string[]).includes(state);
  return isEnded ? <OutcomeWord outcome="not_sent" /> : <>none yet</>;
}

/** Shows the batches of a file by number. */
export async function showBatches({ app, request }: TabVisit, { file, customs }: Pick<HeadFacts, 'file' | 'customs'>) {
  const from = startOf(request, 'from');
  const found = await listBatches(app.ledger, file.file_id, { from, limit: PAGE + 1 });
  const { page, more } = splitPage(found, PAGE);
  const blocksOf = await readBlocks(app.ledger, app.settings);
  return (
    <Section title="Batches" live="batches">
      <BatchTable file={file} batches={page} customs={customs} blocksOf={blocksOf} />
      <StepPager
        first={from > 1 ? tabPath(file, 'batches') : undefined}
        next={more && tabPath(file, 'batches', { from: more.batch_no })}
        says={`From batch ${page[0]?.batch_no ?? from}`}
      />
    </Section>
  );
}

export function BatchTable({
  file,
  batches,
  customs: { timeZone, currency },
  blocksOf,
}: {
  file: FileRow;
  batches: readonly ListedBatch[];
  customs: Customs;
  blocksOf: Blocks;
}) {
  return (
    <Table
      label="Batches"
      rows={batches}
      empty="No batches. After its checks, the valid rows of a file are cut into batches; each is sent in one call."
      columns={[
        { title: 'Batch', cell: ({ batch_no: no }) => <a href={`/files/${file.file_id}/batches/${no}`}>Batch {no}</a> },
        { title: 'State', cell: (batch) => <StateBadge of={showBatch(batch, file, blocksOf)} /> },
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
