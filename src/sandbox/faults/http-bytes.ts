import { STATUS_CODES } from 'node:http';
import { headersOf, type Reply } from '../reply.ts';

/**
 * An answer as the bytes of HTTP, for whoever wants to send them otherwise than whole. The connection ends with it.
 * @param changes headers in place of those of the answer; one that is undefined is left out
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
