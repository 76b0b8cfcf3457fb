import { parentPort } from 'node:worker_threads';
import { type FromThread, ITEMS_AHEAD, packFailure, type ToThread } from './thread-messages.ts';

/** A module whose work can run in a thread: it makes items from an order, one after the other. */
export type TaskModule = { readonly runTask: (order: never) => AsyncGenerator<unknown, unknown> };

type Task = { room: number; isStopped: boolean; wake: () => void };

const tasks = new Map<number, Task>();

/** The thread's side of open-thread.ts; this file is what the thread runs. */
parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'run') {
    const task: Task = { room: ITEMS_AHEAD, isStopped: false, wake: () => {} };
    tasks.set(message.task, task);
    void serve(message.task, task, message);
    return;
  }
  const task = tasks.get(message.task);
  if (!task) return;
  if (message.kind === 'taken') task.room += 1;
  else task.isStopped = true;
  task.wake();
});

async function serve(number: number, task: Task, { module, order }: { module: string; order: unknown }): Promise<void> {
  try {
    const { runTask } = (await import(module)) as TaskModule;
    const items = runTask(order as never);
    for (;;) {
      await room(task);
      if (task.isStopped) {
        await items.return(undefined);
        return;
      }
      const next = await items.next();
      if (next.done) {
        send({ kind: 'done', task: number, result: next.value });
        return;
      }
      task.room -= 1;
      send({ kind: 'item', task: number, item: next.value });
    }
  } catch (error) {
    send({ kind: 'failed', task: number, failure: packFailure(error) });
  } finally {
    tasks.delete(number);
  }
}

async function room(task: Task): Promise<void> {
  while (task.room === 0 && !task.isStopped) {
    await new Promise<void>((resolve) => {
      task.wake = resolve;
    });
  }
}

function send(message: FromThread): void {
  parentPort?.postMessage(message, []);
}
