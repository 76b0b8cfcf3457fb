import { createRequire, syncBuiltinESMExports } from 'node:module';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { expect, vi } from 'vitest';
import type { QueueName } from '../../../schemas/jobs.ts';
import { type Log, openLog } from '../../../src/kernel/log.ts';
import type { QueueConnection } from '../../../src/queue/named-queue.ts';
import type { Queue, QueueBackend } from '../../../src/queue/open-queue.ts';
import { connectPostgres } from '../../../src/queue/postgres-connection.ts';
import { connectRedis } from '../../../src/queue/redis-connection.ts';
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
  /** Runs a statement of SQL, or a Redis command. */
  run(statement: string): Promise<void>;
  stop(): Promise<void>;
};

/** A way to lose a part of what a server keeps of the first ring of the queue `submit`. */
export type Loss = { lost: string; statement: string };

/** What a server may lose while a ring waits, and while one is heard. */
export type Losses = { waiting: Loss[]; heard: Loss[] };

const POSTGRES_LOSSES: Losses = {
  waiting: [
    { lost: 'its record', statement: 'DELETE FROM paydrop_queue.job' },
    { lost: 'its place in the queue', statement: "UPDATE paydrop_queue.job SET state = 'completed'" },
    { lost: 'its deduplication key', statement: 'DELETE FROM paydrop_queue.dedup' },
  ],
  heard: [
    { lost: 'its record', statement: 'DELETE FROM paydrop_queue.job' },
    { lost: 'its place among what is heard', statement: "UPDATE paydrop_queue.job SET state = 'completed'" },
    { lost: 'its lock', statement: 'UPDATE paydrop_queue.job SET lock_token = NULL, locked_until_ms = 0' },
    { lost: 'its deduplication key', statement: 'DELETE FROM paydrop_queue.dedup' },
  ],
};

/** Redis numbers the jobs of a queue from 1. */
const REDIS_LOSSES: Losses = {
  waiting: [
    { lost: 'its record', statement: 'DEL paydrop:submit:1' },
    { lost: 'the list of what waits', statement: 'DEL paydrop:submit:wait' },
    { lost: 'record and list', statement: 'DEL paydrop:submit:1 paydrop:submit:wait' },
    { lost: 'the mark that wakes a worker', statement: 'DEL paydrop:submit:marker' },
    { lost: 'its deduplication key', statement: 'DEL paydrop:submit:de:bell' },
  ],
  heard: [
    { lost: 'its record', statement: 'DEL paydrop:submit:1' },
    { lost: 'the list of what is heard', statement: 'DEL paydrop:submit:active' },
    { lost: 'its lock', statement: 'DEL paydrop:submit:1:lock' },
    { lost: 'its deduplication key', statement: 'DEL paydrop:submit:de:bell' },
  ],
};

/** The servers the queue runs on, as far as installed; the same promises hold on each. */
export const QUEUE_SERVERS: { kind: string; start: () => Promise<QueueServer>; losses: Losses }[] = [
  { kind: 'postgres', start: startPostgres, losses: POSTGRES_LOSSES },
  ...(redisIsInstalled() ? [{ kind: 'redis', start: startRedis, losses: REDIS_LOSSES }] : []),
];

async function startPostgres(): Promise<QueueServer> {
  const postgres = await startTestPostgres();
  const run = (statement: string) => ask(postgres.connection, async (client) => void (await client.query(statement)));
  return {
    backend: { kind: 'postgres', connection: postgres.connection },
    wipe: () => ask(postgres.connection, dropQueue),
    empty: async () => {
      await ask(postgres.connection, emptyQueue);
      await run('DELETE FROM paydrop_queue.dedup_next');
    },
    run,
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
    run: async (statement) => {
      const [command = '', ...words] = statement.split(' ');
      await client.call(command, ...words);
    },
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

/** Connects to a queue's server as another program would. */
export function connectForeign(backend: QueueBackend): Promise<QueueConnection> {
  return backend.kind === 'postgres' ? connectPostgres(backend.connection, () => {}) : connectRedis(backend);
}

export type Ear = {
  hear: () => Promise<void>;
  /** Waits until it has heard so many rings, and what it did for them was begun. */
  heard(times: number): Promise<void>;
  count(): number;
};

/**
 * Returns a handler that counts the rings it hears.
 * @param during what it does for each of them, the first of which is 1
 */
export function lendEar(during: (nth: number) => Promise<void> = async () => {}): Ear {
  let count = 0;
  let wake = () => {};
  return {
    hear: async () => {
      count += 1;
      wake();
      await during(count);
    },
    heard: async (times) => {
      while (count < times) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    count: () => count,
  };
}

/** Waits until no ring waits or is heard. A ring that follows another waits from the moment in which that one ends. */
export async function waitForSilence(queue: Queue, name: QueueName): Promise<void> {
  await expect.poll(() => queue.counts(name)).toMatchObject({ waiting: 0, prioritized: 0, active: 0 });
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
  await Promise.race([
    readUntil(child, words),
    ended.then((end) => Promise.reject(new Error(`${name} ended with ${end}`))),
  ]);
  return { stdin: child.stdin, kill: (signal) => void child.kill(signal), ended };
}

async function readUntil(child: ChildProcess, words: string): Promise<void> {
  let said = '';
  while (!said.includes(words) && child.stdout) said += String((await once(child.stdout, 'data'))[0]);
}
