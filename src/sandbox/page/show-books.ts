import { formatCents } from '../../kernel/money.ts';
import type { Books } from '../books/open-books.ts';
import type { ShownRow } from '../books/payment-book.ts';
import { hideCardNumber, maskNumber } from '../batch/mask-number.ts';
import { html, type Html } from '../reply.ts';

/** Rows of a page; a page of all 100,000 would be of no use to anybody and slow. */
const PAGE_ROWS = 50;

/** Shows payments, newest first, and a form to find some. */
export function showPayments(query: URLSearchParams, all: readonly ShownRow[]): Html {
  const found = findRows(query, all);
  const rows = pageOf(found, query).map(
    ({
      row,
      transactionId,
    }) => html`<tr><td>${timeOf(row.at)}</td><td>${safe(row.account)}</td><td>${row.operation}</td>
<td>${row.batchId === '' ? '' : html`${linkTo({ batch: row.batchId }, row.batchId)} row ${row.position}`}</td>
<td>${transactionId}</td><td>${safe(row.invoice)}</td><td>${safe(row.customerCode)}</td>
<td class="amount">${formatCents(row.amountCents)}</td><td>${row.lastFour === '' ? '' : `…${row.lastFour}`}</td>
<td>${OUTCOMES[row.outcome]}</td><td>${safe(row.message)}</td></tr>`,
  );
  const titles = 'Received (UTC),Account,Operation,Batch,Transaction,Invoice,Customer,Amount,Number,Outcome,Message';
  return html`<h2>Payments</h2>
<form method="get" action="/"><label>Invoice, transaction id, customer code or last four digits
<input type="search" name="q" value="${query.get('q') ?? ''}"></label><button>Search</button></form>
${countOf(found.length, 'payment')}${table(titles, rows)}${pageLinks(query, found.length)}`;
}

const OUTCOMES = {
  approved: 'approved',
  accepted_pending: 'received',
  declined: 'declined',
  duplicate: 'duplicate',
  format_error: 'wrong format',
} as const satisfies Record<ShownRow['row']['outcome'], string>;

/** Returns the rows that a query asks for, newest first. */
function findRows(query: URLSearchParams, all: readonly ShownRow[]): readonly ShownRow[] {
  const wanted = (query.get('q') ?? '').trim().toLowerCase();
  const [day, batch] = [query.get('day') ?? '', query.get('batch') ?? ''];
  const found = all.filter(
    ({ row, transactionId }) =>
      (day === '' || row.at.startsWith(day)) &&
      (batch === '' || row.batchId === batch) &&
      (wanted === '' ||
        row.invoice.toLowerCase().includes(wanted) ||
        transactionId.toLowerCase() === wanted ||
        row.customerCode.toLowerCase() === wanted ||
        row.lastFour === wanted),
  );
  return found.reverse();
}

/** Shows customer records, newest first. */
export function showCustomers(query: URLSearchParams, customers: Pick<Books['customers'], 'page' | 'size'>): Html {
  const rows = customers.page((numberOf(query) - 1) * PAGE_ROWS, PAGE_ROWS).map(
    ({
      account,
      record,
    }) => html`<tr><td>${safe(record.code)}</td><td>${safe(account)}</td><td>${timeOf(record.createdAt)}</td>
<td>${safe(`${record.contact.firstName} ${record.contact.lastName}`)}</td><td>${safe(record.method)}</td>
<td>${maskNumber(record.number)}</td><td>${safe(record.expiry)}</td>
<td>${record.schedule.recurring ? safe(`${record.schedule.amount} ${record.schedule.scheduleType}`) : ''}</td></tr>`,
  );
  const titles = 'Customer code,Account,Created (UTC),Name,Pays with,Number,Expiry,Recurring';
  return html`<h2>Customers</h2>${countOf(customers.size(), 'customer')}${table(titles, rows)}
${pageLinks(query, customers.size())}`;
}

/** Shows batches, newest first. */
export function showBatches(query: URLSearchParams, all: readonly ShownRow[]): Html {
  const batches = groupBy(all, ({ row }) => row.batchId);
  batches.delete('');
  const found = [...batches].reverse();
  const rows = pageOf(found, query).map(([batchId, sums]) => {
    const { at, account, operation } = sums.first.row;
    return html`<tr><td>${linkTo({ batch: batchId }, batchId)}</td><td>${timeOf(at)}</td><td>${safe(account)}</td>
<td>${operation}</td>${sumCells(sums)}</tr>`;
  });
  return html`<h2>Batches</h2>${countOf(found.length, 'batch', 'batches')}
${table(`Batch,Received (UTC),Account,Operation,${SUM_TITLES}`, rows)}${pageLinks(query, found.length)}`;
}

/** Shows the payments of each day, latest first. */
export function showDays(query: URLSearchParams, all: readonly ShownRow[]): Html {
  const days = [...groupBy(all, ({ row }) => row.at.slice(0, 10))].sort(([one], [other]) => (one < other ? 1 : -1));
  const rows = pageOf(days, query).map(
    ([day, sums]) => html`<tr><td>${linkTo({ day }, day)}</td>${sumCells(sums)}</tr>`,
  );
  return html`<h2>Payments by day</h2>${table(`Day (UTC),${SUM_TITLES}`, rows)}${pageLinks(query, days.length)}`;
}

const SUM_TITLES = 'Rows,Charged,Amount charged,Amount refunded';

type Sums = { readonly first: ShownRow; rows: number; charged: number; cents: number; refundedCents: number };

function groupBy(all: readonly ShownRow[], keyOf: (shown: ShownRow) => string): Map<string, Sums> {
  const groups = new Map<string, Sums>();
  for (const shown of all) {
    const { row } = shown;
    const sums = groups.get(keyOf(shown)) ?? { first: shown, rows: 0, charged: 0, cents: 0, refundedCents: 0 };
    sums.rows += 1;
    if (row.charged) sums.charged += 1;
    if (row.charged && row.amountCents > 0) sums.cents += row.amountCents;
    if (row.charged && row.amountCents < 0) sums.refundedCents -= row.amountCents;
    groups.set(keyOf(shown), sums);
  }
  return groups;
}

function sumCells({ rows, charged, cents, refundedCents }: Sums): Html {
  const cells = [rows, charged, formatCents(cents), formatCents(refundedCents)];
  return html`${cells.map((text) => html`<td class="amount">${text}</td>`)}`;
}

/** Returns a table with its titles, which commas separate. */
export function table(titles: string, rows: readonly Html[]): Html {
  const heads = titles.split(',').map((title) => html`<th scope="col">${title}</th>`);
  return rows.length === 0 ? html`` : html`<table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table>`;
}

export function countOf(count: number, one: string, many = `${one}s`): Html {
  return html`<p>${count === 0 ? `No ${many}.` : `${count} ${count === 1 ? one : many}.`}</p>`;
}

export function pageOf<Row>(rows: readonly Row[], query: URLSearchParams, most = PAGE_ROWS): readonly Row[] {
  return rows.slice((numberOf(query) - 1) * most, numberOf(query) * most);
}

/** Returns links to the pages before and after. */
export function pageLinks(query: URLSearchParams, count: number, most = PAGE_ROWS): Html {
  const page = numberOf(query);
  const last = Math.max(1, Math.ceil(count / most));
  const to = (number: number, text: string) => linkTo({ ...Object.fromEntries(query), page: String(number) }, text);
  const links = [...(page > 1 ? [to(page - 1, 'Newer')] : []), ...(page < last ? [to(page + 1, 'Older')] : [])];
  return last === 1 ? html`` : html`<p class="pages">${links} page ${page} of ${last}</p>`;
}

function numberOf(query: URLSearchParams): number {
  const text = query.get('page') ?? '';
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
}

function linkTo(query: Readonly<Record<string, string>>, text: string): Html {
  return html`<a href="/?${new URLSearchParams(query).toString()}">${text}</a>`;
}

export function timeOf(at: string): string {
  return at.slice(0, 19).replace('T', ' ');
}

/** Hides a number in a text of a client. */
function safe(text: string): string {
  return hideCardNumber(text).replace(/\d{13,}/g, maskNumber);
}
