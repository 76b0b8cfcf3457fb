import { gzipSync } from 'node:zlib';
import { htmlReply, type Reply } from '../../reply.ts';
import type { StruckCall } from '../fault-kind.ts';
import { httpBytes, sendWhole } from './cut-answers.ts';
import type { Step } from '../play-steps.ts';

/** Answers from HTTP, a proxy or a web server instead of the service. */

/** Sends a page with a status, as proxies and IIS do. */
export function sendPage(status: number, title: string, headers: Readonly<Record<string, string>> = {}) {
  return (): Step[] => sendWhole({ ...htmlReply(status, title, '<p>Try again later.</p>'), headers });
}

/** Redirects to another version of the same service, which would accept the same request. */
export function redirect(status: 301 | 302 | 303 | 307 | 308) {
  return ({ path }: StruckCall): Step[] => sendPage(status, 'Object moved', { Location: otherVersionOf(path) })();
}

export function sendEmpty({ version }: StruckCall): Step[] {
  const contentType = version === '1.1' ? 'text/xml; charset=utf-8' : 'application/soap+xml; charset=utf-8';
  return sendWhole({ status: 200, contentType, body: '' });
}

export function sendJson(): Step[] {
  return sendWhole({ status: 200, contentType: 'application/json', body: '{"status":"Success"}' });
}

/** Sends the right answer with another status. */
export function changeStatus(status: number) {
  return (reply: Reply): Step[] => sendWhole({ ...reply, status });
}

/** Sends the right answer with a wrong Content-Type. */
export function changeContentType(reply: Reply): Step[] {
  return sendWhole({ ...reply, contentType: 'text/plain' });
}

/** Compresses the answer, whether or not the client accepts that. */
export function compress(reply: Reply): Step[] {
  const body = gzipSync(reply.body);
  return sendWhole({ ...reply, body, headers: { ...reply.headers, 'Content-Encoding': 'gzip' } });
}

/** Sends an informational answer before the real one. */
export function informFirst(head: string) {
  return (reply: Reply): Step[] => [{ do: 'write', bytes: `HTTP/1.1 ${head}\r\n\r\n` }, ...sendWhole(reply)];
}

export function speakAnotherProtocol(): Step[] {
  return [{ do: 'write', bytes: '220 mail.example ESMTP ready\r\n' }, { do: 'finish' }];
}

export function switchProtocols(): Step[] {
  const bytes = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  return [{ do: 'write', bytes }, { do: 'finish' }];
}

/** Answers without waiting for the rest of the request. */
export function answerEarly(): Step[] {
  const { whole } = httpBytes(htmlReply(503, 'Service Unavailable', ''));
  return [{ do: 'write', bytes: whole }, { do: 'finish' }];
}

function otherVersionOf(path: string): string {
  const version = /v3\.asmx$/i.test(path) ? 'v2' : 'v3';
  return path.replace(/(?:v[234])?\.asmx$/i, `${version}.asmx`);
}
