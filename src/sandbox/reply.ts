import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { SANDBOX_HEADER } from '../../schemas/sandbox/sandbox-header.ts';
import type { Server } from '../../schemas/operations.ts';

/** A request with its whole body. */
export type HttpCall = {
  readonly method: string;
  /** As `targetOf` reads it. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The server that the address stands for; undefined when it stands for both. */
  readonly server?: Server | undefined;
  /** Address of the machine that asks. */
  readonly from?: string | undefined;
};

/**
 * Reads the target of a request. Several slashes count as one, as at IIS. The absolute form, which a proxy is sent, names
 * its host itself.
 * @returns host undefined in the usual form; Node gives the headers' then
 */
export function targetOf(url: string): { path: string; query: URLSearchParams; host: string | undefined } {
  const [target = '', query = ''] = url.split(/\?(.*)/s);
  const [, host, rest = target] = /^https?:\/\/([^/]*)(.*)$/is.exec(target) ?? [];
  return { path: rest.replace(/\/{2,}/g, '/') || '/', query: new URLSearchParams(query), host };
}

/** An answer as a value, so that a fault can inspect and change it before it is sent. */
export type Reply = {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
};

export function htmlReply(status: number, title: string, body: string): Reply {
  const head = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>`;
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    body: `${head}<body><h1>${escapeHtml(title)}</h1>${body}</body></html>`,
  };
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** HTML that is safe to send. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Writes HTML; what is put in is escaped unless it is HTML itself. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const filled = parts.map((part, index) => part + textOf(values[index] ?? ''));
  return new Html(filled.join(''));
}

type HtmlValue = string | number | Html | readonly Html[];

function textOf(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  return typeof value === 'object' ? value.map(({ text }) => text).join('') : escapeHtml(String(value));
}

export function jsonReply(status: number, value: unknown): Reply {
  return { status, contentType: 'application/json; charset=utf-8', body: `${JSON.stringify(value)}\n` };
}

export function sendReply(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, headersOf(reply));
  response.end(reply.body);
}

/** Returns the headers recorded from the real service, those of the reply, and Content-Length. */
export function headersOf(reply: Reply): Record<string, string | number> {
  return {
    'Cache-Control': 'private, max-age=0',
    'Content-Type': reply.contentType,
    'X-AspNet-Version': '4.0.30319',
    'X-Powered-By': 'ASP.NET',
    [SANDBOX_HEADER]: '1',
    ...reply.headers,
    'Content-Length': Buffer.byteLength(reply.body),
  };
}
