import { createRequire, syncBuiltinESMExports } from 'node:module';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { vi } from 'vitest';
import { type Log, openLog } from '../../../src/kernel/log.ts';
import type { QueueBackend } from '../../../src/queue/open-queue.ts';
import { dropQueue, emptyQueue } from '../../support/force-sql.ts';
import { startTestPostgres } from '../../support/postgres.ts';
import { redisIsInstalled, startTestRedis } from '../../support/redis.ts';
import { buildProgram } from '../../support/build-program.ts';

export type LogLine = Record<string, unknown> & { level: string; msg: string };

/** Opens a log whose lines a test can read. */
export function logIntoLines(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) };
  return { log: openLog({ level: 'debug', destination }), lines };
}

/** A server for the queue, with ways to damage it. */
export type QueueServer = {
  backend: QueueBackend;
  /** Removes everything the queue keeps, like `DROP SCHEMA … CASCADE` and `FLUSHALL`. */
  wipe(): Promise<void>;
  /** Removes the jobs of a test but not the tables, which are slow to create. */
  empty(): Promise<void>;
  stop(): Promise<void>;
};

/** The servers the queue runs on, as far as installed; the same promises hold on each. */
export const QUEUE_SERVERS: { kind: string; start: () => Promise<QueueServer> }[] = [
  { kind: 'postgres', start: startPostgres },
  ...(redisIsInstalled() ? [{ kind: 'redis', start: startRedis }] : []),
];

async function startPostgres(): Promise<QueueServer> {
  const postgres = await startTestPostgres();
  return {
    backend: { kind: 'postgres', connection: postgres.connection },
    wipe: () => ask(postgres.connection, dropQueue),
    empty: () => ask(postgres.connection, emptyQueue),
    stop: () => postgres.stop(),
  };
}

async function startRedis(): Promise<QueueServer> {
  const redis = await startTestRedis();
  const client = new Redis(redis.url);
  return {
    backend: { kind: 'redis', url: redis.url },
    wipe: async () => void (await client.flushall()),
    empty: async () => void (await client.flushall()),
    stop: async () => {
      client.disconnect();
      await redis.stop();
    },
  };
}

async function ask(connection: object, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Returns a handler that keeps what it gets, and lets the test wait for the next payload. */
export function collect(): { take: (payload: object) => Promise<void>; next(): Promise<object>; count(): number } {
  const got: object[] = [];
  let read = 0;
  let wake = () => {};
  return {
    take: async (payload) => {
      got.push(payload);
      wake();
    },
    next: async () => {
      while (got[read] === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return got[read++] as object;
    },
    count: () => got.length,
  };
}

/** Returns a gate: a handler waits for `passed` until the test calls `open`. */
export function openGate(): { passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

/** Returns the result of `counts`, with zero for every state not named. */
export function counts(some: Record<string, number>): Record<string, number> {
  return { waiting: 0, delayed: 0, active: 0, prioritized: 0, failed: 0, ...some };
}

/** The module as CommonJS sees it, where its functions can be replaced. */
const timers = createRequire(import.meta.url)('node:timers/promises') as { setTimeout: typeof waitAlong };

const STEP_MS = 50;

/**
 * Runs `work` while timers run as fast as the machine can; sockets and files keep their own pace.
 * @param work receives a function that returns the ms passed for its timers
 */
export async function letTimeFly<Result>(work: (passedMs: () => number) => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const makePausesLast = replacePauses(waitAlong);
  try {
    const now = () => vi.getMockedSystemTime()!.getTime();
    const begun = now();
    let isOver = false;
    const result = work(() => now() - begun).finally(() => {
      isOver = true;
    });
    result.catch(() => {});
    while (!isOver) {
      await vi.advanceTimersByTimeAsync(STEP_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return await result;
  } finally {
    makePausesLast();
    vi.useRealTimers();
  }
}

/** Shortens awaited pauses, but no other timers, to one turn of the event loop. Returns how to restore them. */
export function skipPauses(): () => void {
  return replacePauses((_ms, value, options) => waitAlong(0, value, options));
}

function replacePauses(pause: typeof waitAlong): () => void {
  const { setTimeout: wait } = timers;
  const use = (other: typeof waitAlong) => {
    timers.setTimeout = other;
    syncBuiltinESMExports();
  };
  use(pause);
  return () => use(wait);
}

/** Replaces the pause of `node:timers/promises`, whose clock Vitest does not control. */
function waitAlong<Value>(ms: number, value?: Value, { signal }: { signal?: AbortSignal } = {}): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(value as Value), ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

export type Script = {
  stdin: Writable;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the status or signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
};

/** Starts a script of this folder as its own process and waits until it has printed the words. */
export async function startScript(name: 'open' | 'hold', backend: QueueBackend, words: string): Promise<Script> {
  const { fileOf } = await buildProgram();
  const child = spawn(
    process.execPath,
    [fileOf('test/queue/support/worker-process.ts'), JSON.stringify(backend), name],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const ended = once(child, 'exit').then(([status, signal]) => (status ?? signal) as number | NodeJS.Signals);
  await Promise.race([hear(child, words), ended.then((end) => Promise.reject(new Error(`${name} ended with ${end}`)))]);
  return { stdin: child.stdin, kill: (signal) => void child.kill(signal), ended };
}

async function hear(child: ChildProcess, words: string): Promise<void> {
  let heard = '';
  while (!heard.includes(words) && child.stdout) heard += String((await once(child.stdout, 'data'))[0]);
}
