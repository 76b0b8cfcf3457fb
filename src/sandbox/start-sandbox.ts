import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../kernel/clock.ts';
import { type Log, silentLog } from '../kernel/log.ts';
import type { BookRow } from './books/book-row.ts';
import { type Books, emptyBooks, openBooks } from './books/open-books.ts';
import { type Faults, planFaults } from './faults/plan-faults.ts';
import { strikeConnections } from './faults/strike-call.ts';
import { handleRequest } from './handle-request.ts';
import type { HandlerContext } from './handlers/handler.ts';
import { type SandboxClock, startSandboxClock } from './sandbox-clock.ts';
import { runSchedules, tryToRunSchedules } from './time/run-schedules.ts';
import { PipelineError, reasonOf } from '../kernel/errors.ts';

export type SandboxOptions = Partial<Omit<HandlerContext, 'books' | 'clock'>> & {
  /** Any free port when 0 or omitted. */
  readonly port?: number;
  /** 127.0.0.1 when omitted, so that other machines cannot reach it. */
  readonly host?: string;
  /** Where the clock starts; it runs on from there. */
  readonly now?: string | Date;
  /** Folder of the books, which survive a kill. When omitted, they are lost with the process. */
  readonly dataDir?: string;
  /** Largest request body in bytes; 10 MB when omitted. */
  readonly maxBodyBytes?: number;
  /** Whether clock, faults and reset are also available over HTTP; false when omitted. */
  readonly control?: boolean;
};

export type Sandbox = {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly clock: SandboxClock;
  /** Plans failures on demand (docs/sandbox.md). */
  readonly faults: Faults;
  books(): readonly BookRow[];
  /** Books every recurring payment that is due. HTTP calls do this themselves; `books()` does not. */
  settle(): Promise<void>;
  /**
   * Returns to the initial state: no faults, the clock at its start, no rows or customer records. With a data folder,
   * the books are empty on disk when the promise resolves. Calls in progress may fail.
   */
  reset(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Starts a stand-in for the payment service, for trials and tests: a SOAP server for clients of the real service.
 * @throws CONFIG_INVALID when the server cannot listen on the address, and whatever `openBooks` throws
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = startSandboxClock(systemClock, options.now, () => void tryToRunSchedules(context));
  const context = await openContext(options, clock);
  const faults = planFaults({ shut: (forMs) => listener.shut(forMs), open: () => listener.open() });

  const reset = oneAfterTheOther(async () => {
    await faults.clear();
    await renewBooks(context, options.dataDir);
    clock.set(options.now ?? systemClock.now());
  });
  const controls = options.control === true ? { clock, faults, reset } : undefined;
  const serving = { context, faults, controls, maxBodyBytes: options.maxBodyBytes ?? 10 * 1024 * 1024 };
  const server = createServer(IIS_HABITS, (request, response) => void handleRequest(request, response, serving));
  const dropStruck = strikeConnections(server, faults);
  const place = { port: options.port ?? 0, host: options.host ?? '127.0.0.1' };
  const listener = await openListener(server, place, context.log).catch(async (error: unknown) => {
    await context.books.close();
    throw error;
  });
  return {
    url: listener.url,
    port: listener.port,
    clock,
    faults,
    books: () => context.books.rows(),
    settle: () => runSchedules(context),
    reset,
    close: async () => {
      dropStruck();
      await listener.close();
      await context.books.close();
    },
  };
}

/** A `HandlerContext` whose books can be replaced while the sandbox runs. */
type OpenContext = Omit<HandlerContext, 'books'> & { books: Books };

/** Idle connections live as long as at the real service, so that a client can pause between requests. */
const IIS_HABITS = { keepAliveTimeout: 120_000 };

async function openContext(options: SandboxOptions, clock: SandboxClock): Promise<OpenContext> {
  return {
    accounts: options.accounts ?? [{ agentCode: 'TEST88', password: 'TEST88' }],
    books: await openBooks(options.dataDir),
    clock,
    log: options.log ?? silentLog(),
    batchDelayMs: options.batchDelayMs ?? 1000,
    maxRows: options.maxRows ?? 10_000,
    cardDuplicates: options.cardDuplicates ?? true,
    refundsMayExceed: options.refundsMayExceed ?? false,
    refundsNeedSettlement: options.refundsNeedSettlement ?? false,
    cutsLongValues: options.cutsLongValues ?? false,
    strict: options.strict ?? true,
    allow: options.allow ?? [],
    ...(options.cardsValidAt && { cardsValidAt: options.cardsValidAt }),
  };
}

/** Replaces the books with empty ones. If emptying fails, it reopens the previous books. */
async function renewBooks(context: OpenContext, folder: string | undefined): Promise<void> {
  await context.books.close();
  try {
    if (folder !== undefined) await emptyBooks(folder);
  } finally {
    context.books = await openBooks(folder);
  }
}

/** Runs the calls one at a time: two resets at once would close the same books twice. */
function oneAfterTheOther(step: () => Promise<void>): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const done = last.then(step);
    last = done.catch(() => undefined);
    return done;
  };
}

/** A listening server that can be shut for a while and reopened on the same port. */
export type Listener = {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Refuses new connections for `forMs`, or until `open` if undefined. Closes idle connections. */
  shut(forMs: number | undefined): void;
  /** @throws CONFIG_INVALID when another program has taken the port and keeps it */
  open(): Promise<void>;
  /** Closes for good, with all connections; kept-alive connections would otherwise hold the server open. */
  close(): Promise<void>;
};

/** @throws CONFIG_INVALID when the server cannot listen on the address */
export async function openListener(server: Server, wanted: { port: number; host: string }, log: Log) {
  await listen(server, wanted.port, wanted.host);
  const { address, family, port } = server.address() as AddressInfo;
  let timer: NodeJS.Timeout | undefined;
  let isShut = false;

  async function open(): Promise<void> {
    clearTimeout(timer);
    isShut = false;
    for (let attempt = 1; !isShut && !server.listening; attempt += 1) {
      try {
        await listen(server, port, address);
      } catch (error) {
        // An outgoing connection of another program may hold the port briefly.
        if (attempt >= MOST_ATTEMPTS) throw error;
        await sleep(ATTEMPT_MS);
      }
    }
    if (isShut && server.listening) server.close();
  }

  const listener: Listener = {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    port,
    shut: (forMs) => {
      clearTimeout(timer);
      isShut = true;
      if (server.listening) server.close();
      if (forMs === undefined) return;
      timer = setTimeout(() => {
        open().catch((error: unknown) => log.error({ reason: reasonOf(error) }, 'the sandbox stays shut'));
      }, forMs);
    },
    open,
    close: () => {
      clearTimeout(timer);
      isShut = true;
      return closeServer(server);
    },
  };
  return listener;
}

const MOST_ATTEMPTS = 250;
const ATTEMPT_MS = 20;

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      const next = 'Choose another port or host.';
      const action = `listen for the sandbox on "${host}:${port}"`;
      reject(new PipelineError('CONFIG_INVALID', action, reasonOf(error), { cause: error, next }));
    };
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    if (server.listening) server.close((error) => (error ? reject(error) : resolve()));
    else resolve();
    server.closeAllConnections();
  });
}
