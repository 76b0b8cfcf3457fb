import { type ClientRequest, request as startRequest } from 'node:http';
import { crashPoint } from '../../kernel/crash-point.ts';
import { type AnswerBuffer, createAnswerBuffer } from './answer-buffer.ts';
import { readDate } from './ask-time.ts';
import type { Connection } from './open-connection.ts';
import { safeCode } from './safe-code.ts';

/**
 * Outcome of a request whose first byte was written. `serviceAt` is the time of the answer by the service's clock, in
 * whole seconds.
 */
export type PostOutcome = { bytesWritten: number; bytesRead: number; body: Buffer; serviceAt?: Date } & (
  | { kind: 'answered'; httpStatus: number }
  /** No complete answer. `body` is what arrived, or only its start when it is too large. */
  | { kind: 'broken'; why: string; httpStatus?: number; isTooLarge?: true }
);

export type PostRequest = {
  address: URL;
  headers: Record<string, string>;
  body: Buffer;
  timeoutMs: number;
  /** A larger answer counts as broken; without a limit one answer could fill the memory. */
  largestAnswerBytes: number;
};

/**
 * Writes one HTTP request over an open connection, reads the answer and closes. It never throws, follows no redirect
 * and sends nothing twice. It returns whatever arrives, complete or broken.
 * @param request.timeoutMs for the whole exchange, so that a byte-by-byte answer cannot hold a worker forever
 */
export async function post(connection: Connection, request: PostRequest): Promise<PostOutcome> {
  const { socket } = connection;
  const received: Received = { buffer: createAnswerBuffer(request.largestAnswerBytes) };
  const end = await new Promise<AnswerEnd>((resolve) => {
    const why = `no complete answer within ${request.timeoutMs} ms`;
    const timer = setTimeout(() => resolve({ kind: 'broken', why }), request.timeoutMs);
    const tell = (ended: AnswerEnd) => {
      clearTimeout(timer);
      resolve(ended);
    };
    try {
      readAnswer(writeRequest(connection, request), received, request.largestAnswerBytes, tell);
    } catch (error) {
      tell({ kind: 'broken', why: `the request could not be written${safeCode(error)}` });
    }
  });
  const { bytesWritten, bytesRead } = socket;
  connection.close();
  const { buffer, ...status } = received;
  return { ...status, ...end, bytesWritten, bytesRead, body: buffer.bytes() };
}

/** Writes the request. The connection is given, so no agent, pool or proxy is involved. */
function writeRequest(connection: Connection, request: PostRequest): ClientRequest {
  const exchange = startRequest({
    createConnection: () => connection.socket,
    method: 'POST',
    path: request.address.pathname,
    headers: {
      ...request.headers,
      Host: request.address.host,
      'Content-Length': String(request.body.length),
      Accept: 'application/soap+xml, text/xml',
      'Accept-Encoding': 'identity',
      Connection: 'close',
    },
    insecureHTTPParser: false,
  });
  return exchange.end(request.body, () => crashPoint('submit.request-written'));
}

type AnswerEnd = { kind: 'answered'; httpStatus: number } | { kind: 'broken'; why: string; isTooLarge?: true };

/** What has arrived so far; kept outside the listeners, so that a time-out can report it. */
type Received = { readonly buffer: AnswerBuffer; httpStatus?: number; serviceAt?: Date };

/**
 * Collects the answer and reports how it ended. Only the parser decides that it is complete, because a connection that
 * closes early or within a chunk ends it too. The listeners stay for late events, because an error without one would
 * end the process.
 */
function readAnswer(
  exchange: ClientRequest,
  received: Received,
  limitBytes: number,
  tell: (end: AnswerEnd) => void,
): void {
  const breakOff = (why: string) => tell({ kind: 'broken', why });
  exchange.on('error', (error) => breakOff(`the connection broke after the request began${safeCode(error)}`));
  exchange.on('close', () => {
    // Once a response has begun, its own events decide; this one may come before the last of them.
    if (received.httpStatus === undefined) breakOff('the connection ended without an answer');
  });
  exchange.on('response', (response) => {
    const httpStatus = response.statusCode ?? 0;
    received.httpStatus = httpStatus;
    const serviceAt = readDate(response.headers.date);
    if (serviceAt) received.serviceAt = serviceAt;
    received.buffer.expect(Number(response.headers['content-length'] ?? 0));
    crashPoint('submit.answer-begun');
    response.on('data', (chunk: Buffer) => {
      if (received.buffer.add(chunk)) return;
      tell({ kind: 'broken', why: `the answer is larger than ${limitBytes} bytes`, isTooLarge: true });
    });
    response.on('error', (error) => breakOff(`the answer broke off${safeCode(error)}`));
    response.on('end', () => {
      if (response.complete) tell({ kind: 'answered', httpStatus });
    });
    response.on('close', () => breakOff('the answer broke off'));
  });
}
