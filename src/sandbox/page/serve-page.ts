import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { CallLog } from '../calls/note-call.ts';
import { type Controls, serveControl } from '../control/serve-control.ts';
import type { HandlerContext } from '../handlers/handler.ts';
import { html, Html, type HttpCall, type Reply } from '../reply.ts';
import { showBatches, showCalls, showControls, showCustomers, showDays, showPayments } from './show-views.ts';

/** What the page shows and drives. */
export type PageContext = {
  readonly context: Pick<HandlerContext, 'books' | 'clock'>;
  readonly calls: Pick<CallLog, 'list'>;
  /** Undefined when the control API is off. */
  readonly controls: Controls | undefined;
  /** Host names by which a browser may ask for it, besides those of this machine. */
  readonly names: readonly string[];
  /** Whether browsers of other machines may ask for it as well. */
  readonly isForAll: boolean;
};

/** Answers a request for the page of the books, which is for browsers of this machine only, unless it is for all. */
export async function servePage(call: HttpCall, page: PageContext): Promise<Reply> {
  if (!METHODS.includes(call.method)) {
    return pageReply(405, html`<p>This page takes GET, HEAD and POST only.</p>`, { Allow: METHODS.join(', ') });
  }
  if (!page.isForAll && !isLoopback(call.from ?? '')) {
    return refuse('This page is shown to programs on the sandbox’s own machine only, without --page-for-all.');
  }
  if (!isOwnHost(call.headers.host ?? '', page)) {
    return refuse('This page is shown under localhost and the names of --tls-names only.');
  }
  return call.method === 'POST' ? sendForm(call, page) : pageReply(200, showView(call.query, page));
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

/** Returns whether an address is one of this machine. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^(?:::ffff:)?127\./.test(address);
}

/**
 * A web page may give its own name the address of this machine; a browser then asks for the books by that name. It cannot
 * do so with an address in numbers.
 */
function isOwnHost(host: string, { names, isForAll }: Pick<PageContext, 'names' | 'isForAll'>): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  const isOwn = name === 'localhost' || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name);
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isOwn || (isForAll && isAddress) || names.some((known) => known.toLowerCase() === name);
}

const VIEWS = [
  ['payments', 'Payments'],
  ['customers', 'Customers'],
  ['batches', 'Batches'],
  ['days', 'Days'],
  ['calls', 'Calls'],
  ['control', 'Clock, bank and faults'],
] as const;

function showView(query: URLSearchParams, { context, calls, controls }: PageContext): Html {
  const { books, clock } = context;
  switch (query.get('view') ?? '') {
    case 'customers':
      return showCustomers(query, books.customers);
    case 'batches':
      return showBatches(query, books.shownRows());
    case 'days':
      return showDays(query, books.shownRows());
    case 'calls':
      return showCalls(query, calls.list());
    case 'control':
      return showControls(query, clock.now(), controls?.faults.list());
    default:
      return showPayments(query, books.shownRows(), clock.now());
  }
}

/** Fields of the forms that the control API takes as numbers. */
const NUMBERS: readonly string[] = ['advanceMs', 'times', 'after', 'chance', 'seed', 'code', 'delayMs'];

const FORMS: Readonly<Record<string, readonly [method: string, path: string]>> = {
  clock: ['POST', '/sandbox/clock'],
  reset: ['POST', '/sandbox/reset'],
  plan: ['POST', '/sandbox/faults'],
  clear: ['DELETE', '/sandbox/faults'],
  settle: ['POST', '/sandbox/bank/settle'],
  reject: ['POST', '/sandbox/bank/reject'],
  return: ['POST', '/sandbox/bank/return'],
};

/** Passes a form to the control API, as JSON. */
async function sendForm(call: HttpCall, { controls }: PageContext): Promise<Reply> {
  if (!isFromThisPage(call)) return refuse('Forms are taken from this page only.');
  const fields = new URLSearchParams(call.body.toString('utf8'));
  const form = fields.get('form') ?? '';
  const [method, path] = Object.hasOwn(FORMS, form) ? (FORMS[form] ?? []) : [];
  if (method === undefined || path === undefined) return pageReply(400, html`<p>There is no such form.</p>`);
  const values = [...fields].filter(([name, text]) => name !== 'form' && text.trim() !== '');
  const named = Object.fromEntries(values.map(([name, text]) => [name, valueOf(name, text)]));
  const isOfBank = path.startsWith('/sandbox/bank/');
  const isOfAll = isOfBank && named['transactionId'] === undefined;
  const body = Buffer.from(JSON.stringify(isOfAll ? { ...named, all: true } : named));
  const headers = { 'content-type': 'application/json' };
  const answer = await serveControl({ method, path, query: new URLSearchParams(), headers, body }, controls);
  if (answer.status >= 400) {
    const { error } = JSON.parse(String(answer.body)) as { readonly error: string };
    return pageReply(answer.status, html`<p class="wrong">${error}</p><p><a href="/?view=control">Back</a></p>`);
  }
  const moved = isOfBank
    ? (JSON.parse(String(answer.body)) as { readonly transactions: readonly string[] })
    : undefined;
  const address = `/?view=control${moved ? `&done=${form}+${moved.transactions.length}` : ''}`;
  return pageReply(303, html`<p><a href="${address}">Done</a></p>`, { Location: address });
}

function valueOf(name: string, text: string): string | number {
  const isNumber = NUMBERS.includes(name) && text.trim() !== 'always';
  return isNumber ? Number(text) : text.trim();
}

/** Every browser says where a form comes from, in one of these headers or in both. */
function isFromThisPage({ headers }: HttpCall): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined) return site !== undefined;
  return origin === `http://${host}` || origin === `https://${host}`;
}

const STYLE = `
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem; color: #1c2024; background: #fff }
nav a, .pages a { margin-right: 1rem }
table { border-collapse: collapse; margin: 1rem 0 } th, td { text-align: left; padding: .25rem .75rem .25rem 0; vertical-align: top; border-bottom: 1px solid #ddd }
td.amount, th.amount { text-align: right; font-variant-numeric: tabular-nums } .wrong { color: #b00020 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f4f4f6; padding: .75rem; margin: 0; font-size: 13px }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; margin: .5rem 0 1rem } form { margin: .75rem 0 } label { margin-right: 1rem; white-space: nowrap }
input, select, button { font: inherit }
@media (prefers-color-scheme: dark) { body { color: #edeef0; background: #16181a } pre { background: #222 } a { color: #8ab4f8 } th, td { border-color: #444 } .wrong { color: #ff8a8a } }
`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

function refuse(sentence: string): Reply {
  return pageReply(403, html`<p>${sentence}</p>`);
}

function pageReply(status: number, content: Html, headers: Readonly<Record<string, string>> = {}): Reply {
  const links = VIEWS.map(([view, title]) => html`<a href="/?view=${view}">${title}</a> `);
  const page = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Payment service sandbox</title>
<meta name="viewport" content="width=device-width"><style>${new Html(STYLE)}</style></head>
<body><h1>Payment service sandbox</h1>
${status === 403 ? '' : html`<nav aria-label="Views">${links}<a href="/sandbox/guide">Addresses and cards</a></nav>`}
<main>${content}</main></body></html>
`;
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    body: page.text,
    headers: {
      'Cache-Control': 'no-store',
      'Content-Security-Policy': POLICY,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      ...headers,
    },
  };
}
