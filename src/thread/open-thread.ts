import { Worker } from 'node:worker_threads';
import { PipelineError, reasonOf } from '../kernel/errors.ts';
import { type FromThread, type ToThread, unpackFailure } from './thread-messages.ts';

/** A thread for work that would keep the main thread from listening. */
export type WorkThread = {
  /**
   * Runs `runTask` of a module in the thread. It yields what the task yields, a few items ahead at most, and returns
   * what the task returns. Order and items are copied as by `structuredClone`. Bytes in lent memory (`thread-messages.ts`)
   * are not copied; they are overwritten when the next item is requested. Several tasks may run at a time and take
   * turns.
   * @throws whatever the task throws; ThreadDeath when the thread did not survive
   */
  run<Item, Result>(module: URL, order: unknown): AsyncGenerator<Item, Result>;
  close(): Promise<void>;
};

/** The thread ended during its work, by its own failure or out of memory. The process lives on. */
export class ThreadDeath extends PipelineError {}

/**
 * Memory for objects of a thread, in MB. By default V8 would let several hundred pile up; data that grows with a file
 * is kept outside these limits. Few young objects outlive their row, but each collection has a price of its own, and an
 * import profile makes 3 kB of them for each row.
 */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 24 };

/**
 * How long an idle thread lives, in ms, so that the next of several files need not wait for a new one. Its memory, with
 * what is left of payments, is gone before the work after a large intake needs memory.
 */
const IDLE_MS = 200;

/** @param limits for tests */
export function openThread(limits: { maxOldGenerationSizeMb: number } = LIMITS): WorkThread {
  let living: LivingThread | undefined;
  let tasks = 0;
  let idle: NodeJS.Timeout | undefined;

  const start = () => {
    const started = startThread({ ...LIMITS, ...limits }, () => {
      if (living === started) living = undefined;
    });
    return started;
  };
  const endUnused = () => {
    const unused = living;
    living = undefined;
    void unused?.close();
  };

  return {
    run: async function* <Item, Result>(module: URL, order: unknown): AsyncGenerator<Item, Result> {
      clearTimeout(idle);
      tasks += 1;
      try {
        // Started on first use, and again after it has ended.
        living ??= start();
        return yield* living.run<Item, Result>(module, order);
      } finally {
        tasks -= 1;
        if (tasks === 0) idle = setTimeout(endUnused, IDLE_MS).unref();
      }
    },
    close: async () => {
      clearTimeout(idle);
      await living?.close();
    },
  };
}

const ACTION = 'finish the work of a thread';

type LivingThread = ReturnType<typeof startThread>;

type Inbox = { deliver(message: FromThread): void; fail(error: Error): void };

function startThread(resourceLimits: object, onEnd: () => void) {
  const worker = new Worker(ENTRY, { resourceLimits, execArgv: [] });
  // The thread never keeps the process alive; a caller that waits for an item has something else open.
  worker.unref();
  const inboxes = new Map<number, Inbox>();
  let lastTask = 0;
  let cause: unknown;
  let isClosing = false;

  worker.on('message', (message: FromThread) => inboxes.get(message.task)?.deliver(message));
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', (code) => {
    onEnd();
    const reason = cause === undefined ? `it ended with ${code}` : reasonOf(cause);
    const failure = isClosing
      ? new PipelineError('INTERNAL', ACTION, 'it was closed')
      : new ThreadDeath('INTERNAL', ACTION, reason, { cause });
    for (const inbox of inboxes.values()) inbox.fail(failure);
  });
  const send = (message: ToThread) => worker.postMessage(message, []);

  async function* run<Item, Result>(module: URL, order: unknown): AsyncGenerator<Item, Result> {
    lastTask += 1;
    const task = lastTask;
    const inbox = openInbox();
    inboxes.set(task, inbox);
    let isOver = false;
    try {
      send({ kind: 'run', task, module: module.href, order });
      for (;;) {
        const message = await inbox.next();
        isOver = message.kind !== 'item';
        if (message.kind === 'done') return message.result as Result;
        if (message.kind === 'failed') throw unpackFailure(message.failure);
        yield message.item as Item;
        send({ kind: 'taken', task });
      }
    } finally {
      inboxes.delete(task);
      if (!isOver) send({ kind: 'stop', task });
    }
  }

  return {
    run,
    close: async () => {
      isClosing = true;
      await worker.terminate();
    },
  };
}

function openInbox() {
  const waiting: FromThread[] = [];
  let failure: Error | undefined;
  let wake = () => {};
  return {
    deliver: (message: FromThread) => {
      waiting.push(message);
      wake();
    },
    fail: (error: Error) => {
      failure = error;
      wake();
    },
    next: async (): Promise<FromThread> => {
      for (;;) {
        const message = waiting.shift();
        if (message) return message;
        if (failure) throw failure;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** The build runs the module beside this one; from source, the thread must load TypeScript first. */
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './serve-from-source.mjs' : './serve-tasks.js',
  import.meta.url,
);
