import type { PlannedFault } from '../faults/plan-faults.ts';
import { FAULT_KINDS } from '../faults/fault-kinds.ts';
import type { NotedCall } from '../calls/note-call.ts';
import { WIRE_OPERATIONS } from '../../../schemas/wire.ts';
import { REJECTIONS } from '../../../schemas/rejections.ts';
import { formatCents } from '../../kernel/money.ts';
import type { Books } from '../books/open-books.ts';
import type { ShownRow } from '../books/payment-book.ts';
import { hideCardNumber, maskNumber } from '../batch/mask-number.ts';
import { html, type Html } from '../reply.ts';
import { bankStateOf, RETURN_CODE } from '../time/bank-state.ts';
import type { BankControls } from '../time/step-by-hand.ts';

/** Rows of a page; a page of all 100,000 would be of no use to anybody and slow. */
const PAGE_ROWS = 50;

/**
 * Shows payments, newest first, and a form to find some.
 * @param now decides how far the bank is
 */
export function showPayments(query: URLSearchParams, all: readonly ShownRow[], now: Date): Html {
  const found = findRows(query, all);
  const rows = pageOf(found, query).map((shown) => {
    const { row, transactionId } = shown;
    return html`<tr><td>${timeOf(row.at)}</td><td>${safe(row.account)}</td><td>${row.operation}</td>
<td>${row.batchId === '' ? '' : html`${linkTo({ batch: row.batchId }, row.batchId)} row ${row.position}`}</td>
<td>${transactionId}</td><td>${safe(row.invoice)}</td><td>${safe(row.customerCode)}</td>
<td class="amount">${formatCents(row.amountCents)}</td><td>${row.lastFour === '' ? '' : `…${row.lastFour}`}</td>
<td>${OUTCOMES[row.outcome]}</td><td>${safe(row.message)}</td><td>${bankStageOf(shown, now)}</td></tr>`;
  });
  const titles =
    'Received (UTC),Account,Operation,Batch,Transaction,Invoice,Customer,Amount,Number,Outcome,Message,At the bank';
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

/** Returns how far the bank is with a payment: `pending`, or `returned, code 63`. Empty for all but bank payments. */
function bankStageOf({ row, course }: ShownRow, now: Date): string {
  if (row.outcome !== 'accepted_pending') return '';
  const { stage, code = stage === 'returned' ? RETURN_CODE : undefined } = bankStateOf(
    new Date(row.at),
    row.amountCents,
    now,
    course,
  );
  return code === undefined ? stage : `${stage}, code ${code}`;
}

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
function table(titles: string, rows: readonly Html[]): Html {
  const heads = titles.split(',').map((title) => html`<th scope="col">${title}</th>`);
  return rows.length === 0 ? html`` : html`<table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table>`;
}

function countOf(count: number, one: string, many = `${one}s`): Html {
  return html`<p>${count === 0 ? `No ${many}.` : `${count} ${count === 1 ? one : many}.`}</p>`;
}

function pageOf<Row>(rows: readonly Row[], query: URLSearchParams, most = PAGE_ROWS): readonly Row[] {
  return rows.slice((numberOf(query) - 1) * most, numberOf(query) * most);
}

/** Returns links to the pages before and after. */
function pageLinks(query: URLSearchParams, count: number, most = PAGE_ROWS): Html {
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

function timeOf(at: string): string {
  return at.slice(0, 19).replace('T', ' ');
}

/** Hides a number in a text of a client. */
function safe(text: string): string {
  return hideCardNumber(text).replace(/\d{13,}/g, maskNumber);
}

const PAGE_CALLS = 20;

/** Shows the last calls, newest first, each request beside its answer. */
export function showCalls(query: URLSearchParams, calls: readonly NotedCall[]): Html {
  const newest = calls.toReversed();
  const shown = pageOf(newest, query, PAGE_CALLS).map(
    ({ at, operation, parameters, status, response, fault, path }) => html`<details open><summary>${timeOf(at)}
<strong>${operation || (path === undefined ? 'unreadable request' : 'a call')}</strong> ${status ?? ''} ${fault === undefined ? '' : `struck by ${fault}`}</summary>
<div class="sides"><pre>${path === undefined ? requestText(parameters) : `POST ${path}\nThe fault struck before the body was read.`}</pre><pre>${answerText(response)}</pre></div></details>`,
  );
  return html`<h2>Last calls</h2><p>The last 200 calls; long texts are cut, and numbers and passwords hidden.</p>
${countOf(calls.length, 'call')}${shown}${pageLinks(query, calls.length, PAGE_CALLS)}`;
}

function requestText(parameters: NotedCall['parameters']): string {
  return Object.entries(parameters)
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n');
}

/** Returns an answer with a line for each element, as the service sends it in one. */
function answerText(response: string | undefined): string {
  return response?.replace(/></g, '>\n<') ?? 'The fault took the place of an answer.';
}

/** Shows the clock and the faults, with their forms. @param faults undefined when the control API is off */
export function showControls(query: URLSearchParams, now: Date, faults: readonly PlannedFault[] | undefined): Html {
  const clock = html`${showDone(query)}<h2>Clock</h2><p>${timeOf(now.toISOString())} UTC</p>`;
  if (!faults)
    return html`${clock}<p>Start the sandbox with <code>--control</code> to move its clock and bank payments and to plan faults here.</p>`;
  return html`${clock}${form('clock', html`<label>Time <input name="set" value="${now.toISOString()}" size="28"></label>`, 'Set')}
${STEPS.map(([ms, text]) => form('clock', html`<input type="hidden" name="advanceMs" value="${ms}">`, text))}
<h2>Bank payments</h2><p>An empty transaction id stands for all that are due.</p>
${form('settle', ONE_OR_ALL, 'Settle')}${form('reject', html`${ONE_OR_ALL}${CODE}`, 'Reject')}
${form('return', html`${ONE_OR_ALL}${CODE}`, 'Return')}
<h2>Faults</h2>${countOf(faults.length, 'planned fault')}${faultTable(faults)}
${form('plan', PLAN, 'Plan this fault')}${form('clear', html``, 'Remove all faults')}
<h2>Start over</h2><p>This removes all payments and customers but those of the history, and all faults, and sets the clock to its start.</p>
${form('reset', html``, 'Start over')}`;
}

const BANK_ACTIONS: Readonly<Record<keyof BankControls, readonly [done: string, none: string]>> = {
  settle: ['settled', 'none is in progress'],
  reject: ['rejected', 'none is in progress'],
  return: ['returned', 'none was accepted in the last seven days'],
};

/** Says what a button for bank payments has done; its name and a number are all that is taken from the address. */
function showDone(query: URLSearchParams): Html {
  const [action = '', count = ''] = (query.get('done') ?? '').split(' ');
  if (!Object.hasOwn(BANK_ACTIONS, action) || !/^\d{1,7}$/.test(count)) return html``;
  const [done, none] = BANK_ACTIONS[action as keyof BankControls];
  const payments = Number(count) === 1 ? '1 bank payment was' : `${Number(count)} bank payments were`;
  const sentence = Number(count) === 0 ? `No bank payment was ${done}: ${none}.` : `${payments} ${done}.`;
  return html`<p role="status"><strong>${sentence}</strong></p>`;
}

const HOUR_MS = 60 * 60 * 1000;
const STEPS = [
  [HOUR_MS, 'An hour later'],
  [24 * HOUR_MS, 'A day later'],
  [7 * 24 * HOUR_MS, 'A week later'],
] as const;

function form(name: string, fields: Html, button: string): Html {
  return html`<form method="post" action="/"><input type="hidden" name="form" value="${name}">${fields}<button>${button}</button></form>`;
}

function faultTable(faults: readonly PlannedFault[]): Html {
  const rows = faults.map(
    ({
      kind,
      operation,
      code,
      times,
      seen,
      fired,
    }) => html`<tr><td>${kind}</td><td>${operation}</td><td>${code ?? ''}</td>
<td class="amount">${times}</td><td class="amount">${seen}</td><td class="amount">${fired}</td></tr>`,
  );
  return table('Kind,Operation,Code,Times,Calls seen,Struck', rows);
}

const ONE_OR_ALL = html`<label>Transaction id <input name="transactionId" size="18"></label>`;
const CODE = html`<label>Code <input name="code" size="4"></label>`;

/** The fields of a plan, named as the control API names them. */
const PLAN = html`<label>Kind ${choice('kind', ['reject', ...Object.keys(FAULT_KINDS)])}</label>
<label>Operation ${choice('operation', ['*', 'recurring', ...WIRE_OPERATIONS])}</label>
<label>Code, for reject ${choice('code', ['', ...Object.keys(REJECTIONS)])}</label>
<label>Times <input name="times" value="1" size="6"></label><label>After <input name="after" size="4"></label>
<label>Chance <input name="chance" size="4"></label><label>Seed <input name="seed" size="4"></label>
<label>Delay in ms <input name="delayMs" size="6"></label>`;

function choice(name: string, values: readonly string[]): Html {
  return html`<select name="${name}">${values.map((value) => html`<option>${value}</option>`)}</select>`;
}
