import { createServer } from 'node:http';
import { systemClock } from '../kernel/clock.ts';
import { type Log, silentLog } from '../kernel/log.ts';
import type { BookRow } from './books/book-row.ts';
import { emptyBooks } from './books/empty-books.ts';
import { type Books, openBooks } from './books/open-books.ts';
import { type Faults, planFaults } from './faults/plan-faults.ts';
import { strikeConnections } from './faults/strike-connection.ts';
import { handleRequest } from './handle-request.ts';
import type { Account, Desk } from './handlers/handler.ts';
import { openListener } from './open-listener.ts';
import { type SandboxClock, startSandboxClock } from './sandbox-clock.ts';
import { runSchedules, tryToRunSchedules } from './time/run-schedules.ts';

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
  /** Whether a text that is too long is cut without a word instead of refused; false when left out. */
  readonly cutsLongValues?: boolean;
  /** Whether a bank charge can only be paid back once the bank has accepted it; false when left out. */
  readonly refundsNeedSettlement?: boolean;
  /** Most rows of a batch; 10,000 when left out. */
  readonly maxRows?: number;
  /** Largest request body in bytes; 10 MB when left out. */
  readonly maxBodyBytes?: number;
  /** Whether clock, faults and reset are at hand over HTTP as well; false when left out. */
  readonly control?: boolean;
  readonly log?: Log;
};

export type Sandbox = {
  /** Without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly clock: SandboxClock;
  /** Makes it fail on demand (docs/sandbox.md). */
  readonly faults: Faults;
  books(): readonly BookRow[];
  /** Books every recurring payment that is due by now. Calls over HTTP do it by themselves; `books()` does not. */
  settle(): Promise<void>;
  /**
   * Back to how it was started: no faults, its clock where it began, and books without a row or customer record. With a
   * data folder they are empty on the disk when the promise is fulfilled. Calls that are under way may fail.
   */
  reset(): Promise<void>;
  close(): Promise<void>;
};

/**
 * The payment service itself, for trying and testing: a SOAP server that clients of the real service work against
.
 * @throws CONFIG_INVALID when the address cannot be listened on, and what `openBooks` throws
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = startSandboxClock(systemClock, options.now, () => void tryToRunSchedules(desk));
  const desk = await layDesk(options, clock);
  const faults = planFaults({ shut: (forMs) => listener.shut(forMs), open: () => listener.open() });

  const reset = oneAfterTheOther(async () => {
    await faults.clear();
    await renewBooks(desk, options.dataDir);
    clock.set(options.now ?? systemClock.now());
  });
  const controls = options.control === true ? { clock, faults, reset } : undefined;
  const serving = { desk, faults, controls, maxBodyBytes: options.maxBodyBytes ?? 10 * 1024 * 1024 };
  const server = createServer(IIS_HABITS, (request, response) => void handleRequest(request, response, serving));
  const dropStruck = strikeConnections(server, faults);
  const place = { port: options.port ?? 0, host: options.host ?? '127.0.0.1' };
  const listener = await openListener(server, place, desk.log).catch(async (error: unknown) => {
    await desk.books.close();
    throw error;
  });
  return {
    url: listener.url,
    port: listener.port,
    clock,
    faults,
    books: () => desk.books.rows(),
    settle: () => runSchedules(desk),
    reset,
    close: async () => {
      dropStruck();
      await listener.close();
      await desk.books.close();
    },
  };
}

/** Its books can be replaced by empty ones while it is open. */
type LaidDesk = Omit<Desk, 'books'> & { books: Books };

/** An idle connection lives as long as at the service; a client that pauses would else send into a closed one. */
const IIS_HABITS = { keepAliveTimeout: 120_000 };

async function layDesk(options: SandboxOptions, clock: SandboxClock): Promise<LaidDesk> {
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

/** Whatever comes of it, the desk has open books again: empty ones, or those before if they could not be emptied. */
async function renewBooks(desk: LaidDesk, folder: string | undefined): Promise<void> {
  await desk.books.close();
  try {
    if (folder !== undefined) await emptyBooks(folder);
  } finally {
    desk.books = await openBooks(folder);
  }
}

/** Two resets at once would close the same books twice. */
function oneAfterTheOther(step: () => Promise<void>): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const done = last.then(step);
    last = done.catch(() => undefined);
    return done;
  };
}
