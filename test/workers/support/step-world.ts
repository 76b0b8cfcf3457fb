import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { checkFolders } from '../../../workers/watch/check-folders.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { logIntoLines, type LogLine } from '../../queue/support/queue-world.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';
import { type ScriptedService, startScriptedService } from '../../support/scripted-service.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { BatchRow, ReadFileRow } from '../../../src/ledger/engine/records.ts';
import { movesOf, noteRings, query, type Story, storyOf, takeIn, takeInCharges } from './story.ts';
import type { App } from '../../../src/app.ts';
import type { QueueName } from '../../../schemas/jobs.ts';
import type { Queue } from '../../../src/queue/open-queue.ts';

/**
 * A world for single steps: no workers run, and a scripted service replaces the payment service. Every test of a file
 * can have its own account, so that a stopped one affects no other.
 */
export type StepWorld = PipelineWorld & {
  readonly service: ScriptedService;
  /** What its processes have logged. */
  readonly logged: readonly LogLine[];
  /** Returns an account that no other test had. Its agent code is its name in capitals. */
  freshAccount(): string;
  /** Makes a file of two batches, in an account of its own by default. */
  twoBatches(account?: string): Promise<{ account: string; first: BatchKey; second: BatchKey }>;
  takeIn(folderId: string, content: string | Uint8Array, name?: string): Promise<string>;
  takeInCharges(account: string, rows?: number, from?: number): Promise<string>;
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  batch(key: BatchKey): Promise<BatchRow>;
  file(fileId: string): Promise<ReadFileRow>;
  storyOf(key: BatchKey): Promise<Story>;
  movesOf(key: { fileId: string; batchNo?: number }): Promise<string[]>;
};

export type StepWorldOptions = {
  accounts?: number;
  /** Accounts with their own settings, by name. Without a `baseUrl` they call the scripted service. */
  special?: Record<string, Record<string, unknown>>;
  folder?: Record<string, unknown>;
  settings?: Record<string, unknown>;
};

/** Opens a step world for the tests of a file, or of the `describe` around it. */
export function stepWorld(options: StepWorldOptions = {}): StepWorld {
  return openedForTests(() => openStepWorld(options));
}

export async function openStepWorld(options: StepWorldOptions = {}): Promise<StepWorld> {
  const service = await startScriptedService();
  const spare = Array.from({ length: options.accounts ?? 8 }, (_, index) => `account-${index + 1}`);
  const special = options.special ?? {};
  const names = [...spare, ...Object.keys(special)];
  const { log, lines: logged } = logIntoLines();
  const world = await openPipelineWorld({
    log,
    settings: {
      accounts: Object.fromEntries(names.map((name) => [name, accountConfig(name, service.url, special[name])])),
      folders: names.flatMap((account) =>
        ['card', 'ach-charge', 'ach-refund'].map((operation) => ({
          path: `drop/${account}/${operation}`,
          account,
          operation,
          complete: { by: 'quiet', quietMs: 50, probes: 2 },
          ...options.folder,
        })),
      ),
      batch: { maxRows: 2 },
      ...options.settings,
    },
  });
  await checkFolders(world.settings);
  const freshAccount = () => {
    const name = spare.shift();
    if (name === undefined) throw new Error('no account is left: raise `accounts`');
    return name;
  };
  const { app } = world;
  noteRings(app.queue);
  return {
    ...world,
    service,
    logged,
    takeIn: (...call) => takeIn(app, ...call),
    takeInCharges: (...call) => takeInCharges(app, ...call),
    query: (...call) => query(app, ...call),
    batch: (key) => readBatchRow(app.ledger, key),
    file: (fileId) => readFileRow(app.ledger, fileId),
    storyOf: (key) => storyOf(app, key),
    movesOf: (key) => movesOf(app, key),
    freshAccount,
    twoBatches: async (account = freshAccount()) => {
      const fileId = await takeInCharges(app, account, 4);
      return { account, first: { fileId, batchNo: 1 }, second: { fileId, batchNo: 2 } };
    },
    close: async () => {
      await world.close();
      await service.close();
    },
  };
}

export function agentCodeOf(account: string): string {
  return account.toUpperCase();
}

function accountConfig(name: string, baseUrl: string, special: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    server: 'NA',
    country: 'US',
    currency: 'USD',
    agentCode: agentCodeOf(name),
    password: 'TEST88',
    baseUrl,
    poll: { firstMs: 1_000, factor: 2, longestMs: 5_000 },
    ...special,
  };
}

/** Returns an address without a listener. */
export async function closedUrl(): Promise<string> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

/** Thrown where a test lets the process die. */
export const POWER_CUT = 'power cut';

/**
 * Returns an app in which the first matching statement never reaches the ledger. Its transaction is rolled back, as
 * after a power cut.
 * @param passes how many matching statements get through first
 */
export function cutAtStatement(app: App, sql: RegExp, passes = 0): { app: App; wasCut(): boolean } {
  let seen = 0;
  const cut = (statement: unknown) => {
    if (!sql.test(textOf(statement))) return;
    seen += 1;
    if (seen === passes + 1) throw new Error(POWER_CUT);
  };
  return { app: withStatements(app, cut), wasCut: () => seen > passes };
}

/** Returns an app in which every matching statement first waits for `act`. Not for COPY, which cannot wait. */
export function beforeStatement(app: App, sql: RegExp, act: () => Promise<void> | undefined): App {
  return withStatements(app, (statement) => (sql.test(textOf(statement)) ? act() : undefined));
}

function withStatements(app: App, before: (statement: unknown) => Promise<void> | undefined | void): App {
  const run = (target: { query: unknown }, call: unknown[]): unknown => {
    const go = () => Reflect.apply(target.query as (...call: unknown[]) => unknown, target, call);
    // The caller needs a COPY's stream at once, so nothing waits unless it must.
    return before(call[0])?.then(go) ?? go();
  };
  return withPools(app, (pool) =>
    replace(pool, {
      query: async (...call: unknown[]) => run(pool, call),
      connect: async () => {
        const client = await pool.connect();
        return replace(client, { query: (...call: unknown[]) => run(client, call) });
      },
    }),
  );
}

/** Returns an app whose connections for work and for answers are replaced. */
function withPools(app: App, make: (pool: App['ledger']['pool']) => App['ledger']['pool']): App {
  const { pool, answers } = app.ledger;
  return { ...app, ledger: { ...app.ledger, pool: make(pool), answers: make(answers) } };
}

/**
 * Returns an app that loses the connection once, after the ledger has committed and before the answer comes.
 * @param sql the statement that commits
 * @param passes how many of them are answered first
 */
export function losingAnswer(app: App, sql = /COMMIT$/, passes = 0): App {
  let seen = 0;
  const connectTo = async (pool: App['ledger']['pool']) => {
    const client = await pool.connect();
    const query = (...call: unknown[]) => {
      const asked = Reflect.apply(client.query as (...call: unknown[]) => Promise<unknown>, client, call);
      if (!sql.test(textOf(call[0]))) return asked;
      seen += 1;
      if (seen !== passes + 1) return asked;
      return asked.then(() => Promise.reject(new Error('Connection terminated unexpectedly')));
    };
    return replace(client, { query });
  };
  return withPools(app, (pool) => replace(pool, { connect: () => connectTo(pool) }));
}

/** Returns an app whose intake dies right after its verdict, when it looks up the claim's folder. */
export function cutAfterVerdict(app: App): App {
  let asked = 0;
  return {
    ...app,
    folder: (id) => {
      asked += 1;
      if (asked > 1) throw new Error(POWER_CUT);
      return app.folder(id);
    },
  };
}

/** Returns an app whose first ring of this stage fails. */
export function cutAtRing(app: App, name: QueueName): { app: App; wasCut(): boolean } {
  let isCut = false;
  const ring: Queue['ring'] = async (...call) => {
    if (!isCut && call[0] === name) {
      isCut = true;
      throw new Error(POWER_CUT);
    }
    return app.queue.ring(...call);
  };
  return { app: { ...app, queue: { ...app.queue, ring } }, wasCut: () => isCut };
}

/** A COPY is a stream that carries its text. */
function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  return typeof statement === 'object' && statement !== null && 'text' in statement ? String(statement.text) : '';
}

function replace<Target extends object>(target: Target, methods: Record<string, unknown>): Target {
  return new Proxy(target, {
    get(object, name) {
      if (typeof name === 'string' && name in methods) return methods[name];
      const value: unknown = Reflect.get(object, name);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
