import { type ClientRequest, request as startRequest } from 'node:http';
import { crashPoint } from '../../kernel/crash-point.ts';
import type { GatewayAccount } from '../service-address.ts';
import type { SoapRequest } from '../soap/build-request.ts';
import { readDate } from './ask-time.ts';
import { type Connection, safeCode } from './open-connection.ts';

/**
 * Outcome of a request whose first byte was written. `serviceAt` is the time of the answer by the service's clock, in
 * whole seconds.
 */
export type PostOutcome = { bytesWritten: number; bytesRead: number; body: Buffer; serviceAt?: Date } & (
  | { kind: 'answered'; httpStatus: number }
  /** No complete answer. `body` is what arrived, or only its start when it is too large. */
  | { kind: 'broken'; why: string; httpStatus?: number; isTooLarge?: true }
);

type PostRequest = SoapRequest & { address: URL };

/** `largestAnswerBytes`: a larger answer counts as broken; without a limit one answer could fill the memory. */
type PostLimits = Pick<GatewayAccount, 'answerTimeoutMs' | 'largestAnswerBytes'>;

/**
 * Writes one HTTP request over an open connection, reads the answer and closes. It never throws, follows no redirect
 * and sends nothing twice. It returns whatever arrives, complete or broken.
 * @param limits.answerTimeoutMs for the whole exchange, so that a byte-by-byte answer cannot hold a worker forever
 */
export async function post(
  connection: Connection,
  request: PostRequest,
  { answerTimeoutMs, largestAnswerBytes }: PostLimits,
): Promise<PostOutcome> {
  const { socket } = connection;
  const received: Received = { buffer: createAnswerBuffer(largestAnswerBytes) };
  const end = await new Promise<AnswerEnd>((resolve) => {
    const why = `no complete answer within ${answerTimeoutMs} ms`;
    const timer = setTimeout(() => resolve({ kind: 'broken', why }), answerTimeoutMs);
    const tell = (ended: AnswerEnd) => {
      clearTimeout(timer);
      resolve(ended);
    };
    try {
      readAnswer(writeRequest(connection, request), received, largestAnswerBytes, tell);
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

/** The bytes of an answer as they arrive, in one block of memory. */
type AnswerBuffer = {
  /** Makes room for an answer of this length at once, unless it exceeds the limit. */
  expect(bytes: number): void;
  /** @returns false once the answer exceeds the limit; from then on nothing is added and only the start is kept */
  add(chunk: Uint8Array): boolean;
  bytes(): Buffer;
};

const FIRST_BYTES = 16 * 1024;
/** Enough to tell what kind of answer was too large. */
const KEPT_BYTES = 64 * 1024;

/**
 * Creates a buffer that copies each chunk instead of keeping it. Otherwise an answer in one-byte chunks would leave an
 * object for each, a hundred times as large as the byte.
 */
export function createAnswerBuffer(limitBytes: number): AnswerBuffer {
  let memory: Buffer = Buffer.alloc(0);
  let size = 0;
  let isFull = false;
  const moveTo = (larger: Buffer) => {
    memory.copy(larger, 0, 0, size);
    memory = larger;
  };
  const makeRoom = (needed: number) =>
    moveTo(Buffer.allocUnsafe(Math.min(limitBytes, Math.max(needed, memory.length * 2, FIRST_BYTES))));
  const giveUp = () => {
    isFull = true;
    size = Math.min(size, KEPT_BYTES);
    memory = Buffer.from(memory.subarray(0, size));
  };
  return {
    expect(bytes) {
      if (bytes > memory.length && bytes <= limitBytes) moveTo(Buffer.allocUnsafe(bytes));
    },
    add(chunk) {
      const needed = size + chunk.length;
      if (!isFull && needed > limitBytes) giveUp();
      if (isFull) return false;
      if (needed > memory.length) makeRoom(needed);
      memory.set(chunk, size);
      size = needed;
      return true;
    },
    bytes: () => memory.subarray(0, size),
  };
}
