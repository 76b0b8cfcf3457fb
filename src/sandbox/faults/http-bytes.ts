import { STATUS_CODES } from 'node:http';
import { headersOf, type Reply } from '../reply.ts';

/**
 * Returns an answer as HTTP bytes, so that a fault can send parts of it. It announces the end of the connection.
 * @param changes headers that replace those of the answer; an undefined value omits the header
 */
export function httpBytes(
  reply: Reply,
  changes: Readonly<Record<string, string | undefined>> = {},
): { readonly head: Buffer; readonly body: Buffer; readonly whole: Buffer } {
  const headers = Object.entries({ ...headersOf(reply), Connection: 'close', ...changes });
  const lines = headers.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const status = `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ''}`;
  const head = Buffer.from([status, ...lines, '', ''].join('\r\n'));
  const body = Buffer.from(reply.body);
  return { head, body, whole: Buffer.concat([head, body]) };
}
