import { createServer } from 'node:http';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import type { BookRow } from './books/book-row.ts';
import { type Books, emptyBooks, openBooks } from './books/open-books.ts';
import { type Faults, planFaults } from './faults/plan-faults.ts';
import { strikeConnections } from './faults/strike-call.ts';
import { handleRequest } from './handle-request.ts';
import type { HandlerContext } from './handlers/handler.ts';
import { openListener } from './open-listener.ts';
import { type SandboxClock, startSandboxClock } from './sandbox-clock.ts';
import { runSchedules, tryToRunSchedules } from './time/run-schedules.ts';

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

/**
 * Idle connections live as long as at the real service, so that a client can pause between requests. Assumption: a
 * request that does not arrive is given up as here, so that half-open connections do not pile up.
 */
const IIS_HABITS = {
  keepAliveTimeout: 120_000,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 1000,
};

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
