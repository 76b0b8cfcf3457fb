import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from '../../schemas/operations.ts';
import { systemClock } from '../kernel/clock.ts';
import { type Log, silentLog } from '../kernel/log.ts';
import { type BookRow, firstIdsOf } from './books/book-row.ts';
import { emptyBooks } from './books/book-folder.ts';
import { type Books, openBooks } from './books/open-books.ts';
import { keepCalls, type NotedCall } from './calls/note-call.ts';
import { playScript, type ScriptedCall } from './calls/play-script.ts';
import { type FaultPlanner, type Faults, planFaults } from './faults/plan-faults.ts';
import { strikeConnections } from './faults/strike-call.ts';
import { handleRequest } from './handle-request.ts';
import type { Account, HandlerContext } from './handlers/handler.ts';
import { type HistoryOptions, planHistory } from './history/plan-history.ts';
import { type Listener, openListener } from './open-listener.ts';
import { type SandboxClock, startSandboxClock } from './sandbox-clock.ts';
import { makeCertificate, SANDBOX_NAMES, type ServerCertificate } from './tls/make-certificate.ts';
import { runSchedules, tryToRunSchedules } from './time/run-schedules.ts';
import { type BankControls, bankControls } from './time/step-by-hand.ts';

export type SandboxOptions = Partial<Omit<HandlerContext, 'books' | 'clock' | 'takeRejection'>> & {
  /** Any free port when 0 or omitted. */
  readonly port?: number;
  /** Another port, which answers as the UK server; `port` is then North America's. Any free port when 0. */
  readonly portUk?: number;
  /**
   * Serves HTTPS, with a certificate for this machine, the hosts of the service and these names, signed by a CA made for
   * this sandbox alone.
   */
  readonly tls?: { readonly names?: readonly string[] };
  /** 127.0.0.1 when omitted, so that other machines cannot reach it. */
  readonly host?: string;
  /** Where the clock starts; it runs on from there. */
  readonly now?: string | Date;
  /** Folder of the books, which survive a kill. When omitted, they are lost with the process. */
  readonly dataDir?: string;
  /**
   * Id of the first batch of empty books, after a reset as well; 1000001 when omitted. `time` derives it, and the first
   * ids of transactions and customer codes, from the present, so that no restart or reset gives an id twice.
   */
  readonly firstBatchId?: number | 'time';
  /** Traffic before the start of the clock, with which empty books begin; none when omitted. */
  readonly history?: HistoryOptions;
  /** Largest request body in bytes; 10 MB when omitted. */
  readonly maxBodyBytes?: number;
  /** Whether browsers of other machines may open the page too; only those of this machine when omitted. */
  readonly pageForAll?: boolean;
  /** Whether clock, faults and reset are also available over HTTP; false when omitted. */
  readonly control?: boolean;
  /** Gets each call with its answer, both masked, before the answer leaves. */
  readonly onCall?: (call: NotedCall) => void;
  /** The calls that must come, in order. A call that is another, or has other parameters, gets a SOAP fault. */
  readonly script?: readonly ScriptedCall[];
};

export type Sandbox = {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The address of the UK server, if it has a port of its own. */
  readonly urlUk: string | undefined;
  /** The certificate of the CA that clients must trust, PEM; undefined without TLS. */
  readonly ca: string | undefined;
  readonly clock: SandboxClock;
  /** Plans failures on demand (docs/sandbox.md). */
  readonly faults: Faults;
  /** Every payment that was taken, oldest first. */
  books(): readonly BookRow[];
  /** The last 200 calls, oldest first, masked and cut. */
  calls(): readonly NotedCall[];
  /** Says what came other than `script` says, and what did not come; empty when all of it was played. */
  complaints(): readonly string[];
  /** Books every recurring payment that is due. HTTP calls do this themselves; `books()` does not. */
  settle(): Promise<void>;
  /** Settles, rejects and returns bank payments at once. */
  readonly bank: BankControls;
  /**
   * Returns to the initial state: no faults, the clock at its start, no rows or customer records but those of the
   * history. With a data folder, that is on disk when the promise resolves. Calls in progress may fail.
   */
  reset(): Promise<void>;
  close(): Promise<void>;
  /** Closes it at the end of a block: `await using sandbox = await startSandbox();`. */
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Starts a stand-in for the payment service, for trials and tests: a SOAP server for clients of the real service.
 * @throws CONFIG_INVALID when the server cannot listen on the address, USAGE when a name of `tls` is no host name or a
 * number of `history` is out of its range, and whatever `openBooks` throws
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = startSandboxClock(systemClock, options.now, () => void tryToRunSchedules(context));
  const names = options.tls && [...SANDBOX_NAMES, ...(options.tls.names ?? [])];
  const certificate = names && (await makeCertificate(systemClock.now(), names));
  const faults = planFaults({ shut: (forMs) => door.shut(forMs), open: () => door.open() });
  const context = await openContext(options, clock, faults.takeRejection);
  const bank = bankControls(context);
  const reset = oneAfterTheOther(async () => {
    await faults.clear();
    const start = new Date(options.now ?? systemClock.now());
    await renewBooks(context, options, start);
    clock.set(start);
  });
  const controls = options.control === true ? { clock, faults, reset, bank } : undefined;
  const calls = keepCalls(options.onCall);
  const script = options.script && playScript(options.script);
  const maxBodyBytes = options.maxBodyBytes ?? 10 * 1024 * 1024;
  const shown = { names: options.tls?.names ?? [], isForAll: options.pageForAll ?? false };
  const serving = { context, faults, controls, calls, script, ...shown, maxBodyBytes };
  const door = openDoor(faults, certificate);
  const listen = (port: number, server: Server | undefined) =>
    door.add(
      { port, host: options.host ?? '127.0.0.1', log: context.log },
      (request, response) => void handleRequest(request, response, { ...serving, server }),
    );
  const closeAll = async () => {
    await door.close();
    await context.books.close();
  };
  const { portUk } = options;
  try {
    const listener = await listen(options.port ?? 0, portUk === undefined ? undefined : 'NA');
    const ofUk = portUk === undefined ? undefined : await listen(portUk, 'UK');
    return {
      url: listener.url,
      port: listener.port,
      urlUk: ofUk?.url,
      ca: certificate?.ca,
      clock,
      faults,
      books: () => context.books.rows(),
      settle: () => runSchedules(context),
      bank,
      calls: calls.list,
      complaints: () => script?.complaints() ?? [],
      reset,
      close: closeAll,
      [Symbol.asyncDispose]: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Opens and shuts all ports together. */
function openDoor(faults: Pick<FaultPlanner, 'take'>, certificate: ServerCertificate | undefined) {
  const listeners: Listener[] = [];
  const drops: (() => void)[] = [];
  const all = async (step: (listener: Listener) => Promise<void>) => void (await Promise.all(listeners.map(step)));
  return {
    add: async (place: { port: number; host: string; log: Log }, serve: RequestListener): Promise<Listener> => {
      const server = certificate
        ? createTlsServer({ ...IIS_HABITS, ...certificate, handshakeTimeout: IIS_HABITS.headersTimeout }, serve)
        : createServer(IIS_HABITS, serve);
      drops.push(strikeConnections(server, faults));
      const listener = await openListener(server, place, place.log);
      listeners.push(listener);
      return listener;
    },
    shut: (forMs: number | undefined): void => {
      for (const listener of listeners) listener.shut(forMs);
    },
    open: () => all((listener) => listener.open()),
    close: async (): Promise<void> => {
      for (const drop of drops) drop();
      await all((listener) => listener.close());
    },
  };
}

/** A `HandlerContext` whose books can be replaced while the sandbox runs. */
type OpenContext = Omit<HandlerContext, 'books'> & { books: Books };

/**
 * Idle connections live as long as at the real service, so that a client can pause between requests. Assumption: a
 * request that does not arrive is given up as here, so that half-open connections do not pile up. What is given up in one
 * turn holds up every other call: a look each 50 ms finds no more than came in 50 ms, and taking a connection costs more
 * than giving it up.
 */
const IIS_HABITS = {
  keepAliveTimeout: 120_000,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 50,
};

async function openContext(
  options: SandboxOptions,
  clock: SandboxClock,
  takeRejection: FaultPlanner['takeRejection'],
): Promise<OpenContext> {
  return {
    accounts: options.accounts ?? USUAL_ACCOUNTS,
    books: await openBooksOf(options, clock.now()),
    clock,
    log: options.log ?? silentLog(),
    batchDelayMs: options.batchDelayMs ?? 1000,
    maxRows: options.maxRows ?? 10_000,
    cardDuplicates: options.cardDuplicates ?? true,
    refundsMayExceed: options.refundsMayExceed ?? false,
    refundsNeedSettlement: options.refundsNeedSettlement ?? false,
    cutsLongValues: options.cutsLongValues ?? false,
    takeRejection,
    strict: options.strict ?? true,
    allow: options.allow ?? [],
    ...(options.cardsValidAt && { cardsValidAt: options.cardsValidAt }),
    // With a clock or a day of its own, a test wants cards to go by them.
    publicSuites: options.publicSuites === true && options.now === undefined && options.cardsValidAt === undefined,
  };
}

const USUAL_ACCOUNTS: readonly Account[] = [{ agentCode: 'TEST88', password: 'TEST88' }];

/** Replaces the books with empty ones. If emptying fails, it reopens the previous books. */
async function renewBooks(context: OpenContext, options: SandboxOptions, start: Date): Promise<void> {
  await context.books.close();
  try {
    if (options.dataDir !== undefined) await emptyBooks(options.dataDir);
  } finally {
    context.books = await openBooksOf(options, start);
  }
}

/** Ids go by the clock of the machine: the sandbox's own may start at the same moment each time. */
async function openBooksOf(options: SandboxOptions, start: Date): Promise<Books> {
  const { dataDir, firstBatchId, history, accounts = USUAL_ACCOUNTS } = options;
  const wish = history && planHistory(history, accounts, start);
  const books = await openBooks(dataDir, firstIdsOf(firstBatchId, systemClock.now()), history?.onProgress);
  if (!wish) return books;
  try {
    await books.beginWith(wish);
    return books;
  } catch (error) {
    await books.close();
    throw error;
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
