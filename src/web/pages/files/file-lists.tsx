import type { FastifyRequest } from 'fastify';
import { FINAL_BATCH_STATES, OUTCOMES, type Outcome } from '../../../../schemas/lifecycle.ts';
import { SHOWN, SHOWN_OUTCOMES } from '../../../../schemas/shown.ts';
import { rejectionOf } from '../../../../schemas/rejections.ts';
import type { App } from '../../../app.ts';
import {
  canSortRows,
  countRows,
  type ListedRow,
  listRows,
  type RowFilter,
  type RowOrder,
} from '../../../ledger/row/list-rows.ts';
import { type BatchOrder, countBatches, type ListedBatch, listBatches } from '../../../ledger/file/list-files.ts';
import { type Blocks, readBlocks, showBatch } from '../../../explain/read-blocks.ts';
import type { FileRow } from '../../../ledger/engine/records.ts';
import { fieldOf } from '../../access/read-form.ts';
import { type ListColumn, ListTable, type OpenList, readPage } from '../../lists/list.tsx';
import { CardNotice, isCardNumber, Section } from '../../parts/blocks.tsx';
import { ChoiceField, TextField } from '../../parts/form.tsx';
import { Money, OutcomeWord, Count, Moment, PaymentLink, StateBadge } from '../../parts/words.tsx';
import type { WebContext } from '../../web-context.ts';
import { customsOf, fileWith, startOf, tabPath, type TabVisit, type Customs } from './read-address.ts';

/** Rows on a page of either list. */
const SIZE = 100;

type Facts = { readonly file: FileRow; readonly customs: Customs };

/** Shows the rows of a file, with their outcomes. */
export async function showPayments({ app, request }: TabVisit, facts: Facts) {
  const asked = askedOf(request);
  const list = rowList(facts, asked);
  const page = await readPage(list, app.ledger, request.query);
  return (
    <>
      {asked.isCard && <CardNotice />}
      <Section title="Payments">
        <FilterForm path={list.path} asked={asked} />
        <ListTable list={list} page={page} label="Rows" empty={<NoRows file={facts.file} />} />
      </Section>
    </>
  );
}

/** Opens the list of the rows of the file that an address names. */
export async function openRowList({ app }: WebContext, request: FastifyRequest) {
  return rowList(await factsOf(app, request), askedOf(request));
}

async function factsOf(app: App, { query }: FastifyRequest): Promise<Facts> {
  const file = await fileWith(app, fieldOf(query, 'file'));
  return { file, customs: customsOf(app, file.account) };
}

/** The orders of the rows of a file, each with whether it begins with the largest. */
export const ROW_ORDERS: Readonly<Record<RowOrder, boolean>> = { line: false, amount: true };

function rowList({ file, customs }: Facts, asked: RowQuery): OpenList<ListedRow, RowOrder> {
  const { outcome, invoice, batch, from, isCard } = asked;
  const filter = filterOf(asked);
  return {
    name: 'payments',
    path: `/files/${file.file_id}`,
    tab: 'payments',
    filter: { outcome, invoice, batch: batch || undefined, from: from || undefined },
    subject: { file: file.file_id },
    orders: ROW_ORDERS,
    size: SIZE,
    isOneWay: !canSortRows(file),
    columns: rowColumns(file, customs.currency),
    numberOf: ({ line }) => line,
    read: async (ledger, page) => (isCard ? [] : listRows(ledger, file, filter, page)),
    count: async (ledger, most) => (isCard ? 0 : countRows(ledger, file, filter, most)),
  };
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

function filterOf({ outcome, invoice, batch, from }: RowQuery): RowFilter {
  const isKnown = outcome === 'open' || Object.hasOwn(OUTCOMES, outcome);
  return {
    outcome: isKnown ? (outcome as Outcome | 'open') : undefined,
    invoice: invoice || undefined,
    batch: batch || undefined,
    from: from || undefined,
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

function NoRows({ file }: Pick<Facts, 'file'>) {
  if (file.archive_no !== null)
    return <>{`The rows of this file are archived. On the host, "paydrop archive read ${file.file_id}" shows them.`}</>;
  return (
    <>
      No row matches. Rows are listed here after the file has been read.{' '}
      <a href={tabPath(file, 'payments')}>Show all rows</a>
    </>
  );
}

/** Large files cannot be sorted, so their headings do not offer it. */
function rowColumns(file: FileRow, currency: string | undefined): ListColumn<ListedRow>[] {
  const sort = (name: RowOrder) => (canSortRows(file) ? { sort: name } : {});
  return [
    {
      title: 'Line',
      ...sort('line'),
      isFigure: true,
      cell: ({ line }) => <PaymentLink fileId={file.file_id} line={line} />,
      value: ({ line }) => line,
    },
    { title: 'Invoice', cell: ({ invoice }) => invoice, value: ({ invoice }) => invoice },
    { title: 'Customer code', cell: ({ customer_code: code }) => code, value: ({ customer_code: code }) => code },
    {
      title: 'Amount',
      ...sort('amount'),
      isFigure: true,
      cell: ({ amount_cents: cents }) => cents !== null && <Money cents={cents} currency={currency} />,
      value: ({ amount_cents: cents }) => (cents === null ? null : { cents }),
    },
    { title: 'Currency', value: () => currency ?? '' },
    {
      title: 'Last digits',
      cell: ({ last_four: end }) => end !== '' && <span class="id">…{end}</span>,
      value: ({ last_four: end }) => (end === '' ? '' : `…${end}`),
    },
    {
      title: 'Batch',
      isFigure: true,
      cell: ({ batch_no: no }) => no !== null && <a href={`/files/${file.file_id}/batches/${no}`}>{no}</a>,
      value: ({ batch_no: no }) => no,
    },
    {
      title: 'Outcome',
      cell: (row) => {
        const outcome = outcomeOf(row);
        return outcome === undefined ? NO_OUTCOME : <OutcomeWord outcome={outcome} />;
      },
      value: (row) => {
        const outcome = outcomeOf(row);
        return outcome === undefined ? NO_OUTCOME : SHOWN_OUTCOMES[outcome].word;
      },
    },
    {
      title: 'Code',
      cell: ({ code }) => code !== null && <span class="wide">{sayCode(code)}</span>,
      value: ({ code }) => (code === null ? '' : sayCode(code)),
    },
    { title: 'Message', cell: ({ message }) => <span class="wide">{message}</span>, value: ({ message }) => message },
  ];
}

const NO_OUTCOME = 'none yet';

function sayCode(code: number): string {
  return `${code}: ${rejectionOf(code).message}`;
}

/** Returns the outcome. A row without one was withheld, will never be sent, or waits for the end of its batch. */
function outcomeOf({ outcome, batch_no: batchNo, batch_state: state }: ListedRow): Outcome | undefined {
  if (outcome !== null) return outcome as Outcome;
  if (batchNo === null) return 'invalid';
  return state === null || (FINAL_BATCH_STATES as readonly string[]).includes(state) ? 'not_sent' : undefined;
}

/** Shows the batches of a file. */
export async function showBatches({ app, request }: TabVisit, facts: Facts) {
  const list = await batchList(app, facts);
  return (
    <Section title="Batches" live="batches">
      <ListTable
        list={list}
        page={await readPage(list, app.ledger, request.query)}
        label="Batches"
        empty="No batches. After its checks, the valid rows of a file are cut into batches; each is sent in one call."
      />
    </Section>
  );
}

/** Opens the list of the batches of the file that an address names. */
export async function openBatchList({ app }: WebContext, request: FastifyRequest) {
  return batchList(app, await factsOf(app, request));
}

async function batchList(app: App, { file, customs }: Facts): Promise<OpenList<ListedBatch, BatchOrder>> {
  const { file_id: fileId } = file;
  return {
    name: 'batches',
    path: `/files/${fileId}`,
    tab: 'batches',
    filter: {},
    subject: { file: fileId },
    orders: { number: false, amount: true },
    size: SIZE,
    columns: batchColumns(file, customs, await readBlocks(app.ledger, app.settings)),
    numberOf: ({ batch_no: no }) => no,
    read: (ledger, page) => listBatches(ledger, fileId, page),
    count: (ledger, most) => countBatches(ledger, fileId, most),
  };
}

function batchColumns(file: FileRow, { timeZone, currency }: Customs, blocksOf: Blocks): ListColumn<ListedBatch>[] {
  return [
    {
      title: 'Batch',
      sort: 'number',
      cell: ({ batch_no: no }) => <a href={`/files/${file.file_id}/batches/${no}`}>Batch {no}</a>,
      value: ({ batch_no: no }) => no,
    },
    {
      title: 'State',
      cell: (batch) => <StateBadge of={showBatch(batch, file, blocksOf)} />,
      value: (batch) => SHOWN[showBatch(batch, file, blocksOf).shown].word,
    },
    { title: 'Rows', isFigure: true, cell: ({ rows }) => <Count of={rows} />, value: ({ rows }) => rows },
    {
      title: 'Total',
      sort: 'amount',
      isFigure: true,
      cell: ({ cents }) => <Money cents={cents} currency={currency} />,
      value: ({ cents }) => ({ cents }),
    },
    { title: 'Currency', value: () => currency ?? '' },
    {
      title: "Service's id",
      cell: ({ batch_id: id }) => id !== null && <span class="id">{id}</span>,
      value: ({ batch_id: id }) => id,
    },
    { title: 'Attempt', isFigure: true, cell: ({ attempt }) => attempt, value: ({ attempt }) => attempt },
    {
      title: 'Sent',
      isMoment: true,
      cell: ({ submitted_at: at }) => at && <Moment at={at} timeZone={timeZone} />,
      value: ({ submitted_at: at }) => at,
    },
    {
      title: 'Result',
      isMoment: true,
      cell: ({ result_at: at }) => at && <Moment at={at} timeZone={timeZone} />,
      value: ({ result_at: at }) => at,
    },
    {
      title: 'Why',
      cell: ({ reason }) => reason !== null && <span class="wide">{reason}</span>,
      value: ({ reason }) => reason,
    },
  ];
}
