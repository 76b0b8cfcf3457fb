import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../kernel/clock.ts';
import { PipelineError, reasonOf } from '../kernel/errors.ts';
import { type Log, silentLog } from '../kernel/log.ts';
import type { BookRow } from './books/book-row.ts';
import { openBooks } from './books/open-books.ts';
import type { Account, Desk } from './handlers/handler.ts';
import { readBody } from './read-body.ts';
import { htmlReply, type Reply, sendReply } from './reply.ts';
import { type SandboxClock, startSandboxClock } from './sandbox-clock.ts';
import { serveRequest } from './serve-request.ts';

export type SandboxOptions = {
  /** 0 or nothing: any free port. */
  readonly port?: number;
  /** 127.0.0.1 when left out, so that nobody else reaches it. */
  readonly host?: string;
  /** Where its clock starts; it runs on from there. */
  readonly now?: string | Date;
  /** Folder of the books, which survive a kill; without it they are forgotten with the process. */
  readonly dataDir?: string;
  /** A batch is done this long after it was taken; 1,000 ms when left out. */
  readonly batchDelayMs?: number;
  /** TEST88 with the password TEST88 on both servers when left out. */
  readonly accounts?: readonly Account[];
  /** Whether a card row that was charged before is answered as a duplicate; true when left out. */
  readonly cardDuplicates?: boolean;
  /** Whether refunds may pay back more than was charged, with any card or account; false when left out. */
  readonly refundsMayExceed?: boolean;
  /** Most rows of a batch; 10,000 when left out. */
  readonly maxRows?: number;
  /** Largest request body in bytes; 10 MB when left out. */
  readonly maxBodyBytes?: number;
  readonly log?: Log;
};

export type Sandbox = {
  /** Without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly clock: SandboxClock;
  books(): readonly BookRow[];
  close(): Promise<void>;
};

/**
 * The payment service itself, for trying and testing: a SOAP server that clients of the real service work against
 * (gateway wire 1 to 3, 6.3).
 * @throws CONFIG_INVALID when the address cannot be listened on, and what `openBooks` throws
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = startSandboxClock(systemClock, options.now);
  const books = await openBooks(options.dataDir);
  const desk: Desk = {
    accounts: options.accounts ?? [{ agentCode: 'TEST88', password: 'TEST88' }],
    books,
    clock,
    log: options.log ?? silentLog(),
    batchDelayMs: options.batchDelayMs ?? 1000,
    maxRows: options.maxRows ?? 10_000,
    cardDuplicates: options.cardDuplicates ?? true,
    refundsMayExceed: options.refundsMayExceed ?? false,
  };
  const server = createServer((request, response) => {
    void handleRequest(request, response, desk, options.maxBodyBytes ?? 10 * 1024 * 1024);
  });
  await listen(server, options.port ?? 0, options.host ?? '127.0.0.1').catch(async (error: unknown) => {
    await books.close();
    throw error;
  });
  return {
    url: urlOf(server),
    port: portOf(server),
    clock,
    books: () => books.rows(),
    close: async () => {
      await closeServer(server);
      await books.close();
    },
  };
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  desk: Desk,
  maxBodyBytes: number,
): Promise<void> {
  try {
    const reply = await makeReply(request, desk, maxBodyBytes);
    sendReply(response, reply);
  } catch (error) {
    // Mostly a client that went away in the middle of its request; nothing was done for it.
    desk.log.warn({ reason: reasonOf(error) }, 'request broken off');
    response.destroy();
  }
}

async function makeReply(request: IncomingMessage, desk: Desk, maxBodyBytes: number): Promise<Reply> {
  const body = await readBody(request, maxBodyBytes);
  if (!body) return htmlReply(413, 'Maximum request length exceeded.', '');
  const [path = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s);
  const call = {
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(query),
    headers: request.headers,
    body,
  };
  return serveRequest(call, desk, `http://127.0.0.1:${request.socket.localPort ?? 80}`);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const next = 'Choose another port or host.';
      const action = `listen for the sandbox on "${host}:${port}"`;
      reject(new PipelineError('CONFIG_INVALID', action, reasonOf(error), { cause: error, next }));
    });
    server.listen(port, host, resolve);
  });
}

/** Connections that are kept alive would otherwise hold the server open. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
