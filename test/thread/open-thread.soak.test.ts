import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PipelineError } from '../../src/kernel/errors.ts';
import { openThread, ThreadDeath, type WorkThread } from '../../src/thread/open-thread.ts';
import { COUNTING_TASK, type CountingOrder } from './support/counting-task.ts';

/** One thread for all tests that do not harm it, because starting one is slow. */
let thread: WorkThread | undefined;
afterAll(() => thread?.close());

type Item = { n: number; bytes: Uint8Array };

function run(order: CountingOrder): AsyncGenerator<Item, string> {
  thread ??= openThread();
  return thread.run<Item, string>(COUNTING_TASK, order);
}

/** Lets the test move a thread's timers by hand. A running thread is closed, because it already has a real timer. */
async function takeOverTimers(): Promise<void> {
  await thread?.close();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

async function takeAll(items: AsyncGenerator<Item, string>): Promise<{ numbers: number[]; result: string }> {
  const numbers: number[] = [];
  for (;;) {
    const step = await items.next();
    if (step.done) return { numbers, result: step.value };
    numbers.push(step.value.n + step.value.bytes[0]!);
  }
}

/** Waits until another thread has written this number or a larger one. */
function reached(notes: Int32Array, place: number, wanted: number): void {
  for (let now = Atomics.load(notes, place); now < wanted; now = Atomics.load(notes, place)) {
    Atomics.wait(notes, place, now);
  }
}

describe('openThread', () => {
  it('gives what the task yields, in its order, and what it returns', async () => {
    expect(await takeAll(run({ upTo: 4 }))).toEqual({ numbers: [2, 4, 6, 8], result: 'counted to 4' });
    expect(await takeAll(run({ upTo: 0 }))).toEqual({ numbers: [], result: 'counted to 0' });
  });

  it('runs them from the source too, as `npm run demo` does', async () => {
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const code = `
      import { openThread } from '${new URL('../../src/thread/open-thread.ts', import.meta.url).href}';
      const thread = openThread();
      const task = new URL('${new URL('support/counting-task.ts', import.meta.url).href}');
      for await (const { n } of thread.run(task, { upTo: 3 })) console.log(n);
      await thread.close();`;
    const words = ['--import', tsx, '--input-type=module', '--eval', code];
    expect((await promisify(execFile)(process.execPath, words)).stdout).toBe('1\n2\n3\n');
  });

  it('runs several tasks at a time and keeps them apart', async () => {
    const [one, other] = await Promise.all([takeAll(run({ upTo: 3 })), takeAll(run({ upTo: 5 }))]);
    expect([one.result, other.result]).toEqual(['counted to 3', 'counted to 5']);
    expect([one.numbers.length, other.numbers.length]).toEqual([3, 5]);
  });

  it('makes no more than a few items ahead of their reader', async () => {
    const notes = new Int32Array(new SharedArrayBuffer(8));
    const items = run({ upTo: 100, seen: notes.buffer });
    await items.next();
    reached(notes, 0, 2);
    // Another task has run meanwhile, so the first had all the time it needed.
    await takeAll(run({ upTo: 3 }));
    expect(Atomics.load(notes, 0)).toBe(2);
    await items.next();
    reached(notes, 0, 3);
    await items.return('');
  });

  it('ends the task when nobody takes the rest', async () => {
    const notes = new Int32Array(new SharedArrayBuffer(8));
    const items = run({ upTo: 100, seen: notes.buffer });
    await items.next();
    await items.return('');
    reached(notes, 1, 1);
    expect(Atomics.load(notes, 0)).toBeLessThan(5);
  });

  it('throws what the task throws, and lives on', async () => {
    const failure: unknown = await takeAll(run({ upTo: 1, atEnd: 'fail as ours' })).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PipelineError);
    expect(failure).not.toBeInstanceOf(ThreadDeath);
    expect(failure).toMatchObject({
      code: 'SEAL_BROKEN',
      message: new PipelineError('SEAL_BROKEN', 'open "it"').message,
    });
    await expect(takeAll(run({ upTo: 1, atEnd: 'fail' }))).rejects.toThrow('it broke');
    expect((await takeAll(run({ upTo: 1 }))).result).toBe('counted to 1');
  });

  it.each([
    ['ends itself', 'exit', /ended with 7/],
    ['throws where nobody can catch it', 'throw outside', /nobody catches it/],
  ] as const)('tells of the death of a thread that %s, and starts another', async (_how, atEnd, said) => {
    const dead: unknown = await takeAll(run({ upTo: 1, atEnd })).catch((error: unknown) => error);
    expect(dead).toBeInstanceOf(ThreadDeath);
    expect(String(dead)).toMatch(said);
    expect((await takeAll(run({ upTo: 2 }))).result).toBe('counted to 2');
  });

  it('lets a thread that wants too much memory die alone', async () => {
    await thread?.close();
    thread = openThread({ maxOldGenerationSizeMb: 16 });
    await expect(takeAll(run({ upTo: 1, atEnd: 'eat memory' }))).rejects.toThrow(/memory/);
    expect((await takeAll(run({ upTo: 1 }))).result).toBe('counted to 1');
  });

  it('keeps its thread for what comes soon, and lets it go when nothing comes', async () => {
    await takeOverTimers();
    const which = async () => (await takeAll(run({ upTo: 1, atEnd: 'tell the thread' }))).result;
    const first = await which();
    vi.advanceTimersByTime(199);
    expect(await which()).toBe(first);
    vi.advanceTimersByTime(200);
    expect(await which()).not.toBe(first);
  });

  it('never lets a thread go that is at work', async () => {
    await takeOverTimers();
    const items = run({ upTo: 3 });
    await items.next();
    await takeAll(run({ upTo: 1 }));
    vi.advanceTimersByTime(60_000);
    expect((await takeAll(items)).result).toBe('counted to 3');
  });

  it('counts as no death when it is closed in the middle of its work', async () => {
    const items = run({ upTo: 100 });
    await items.next();
    await thread!.close();
    const rest: unknown = await takeAll(items).catch((error: unknown) => error);
    expect(String(rest)).toMatch(/it was closed/);
    expect(rest).not.toBeInstanceOf(ThreadDeath);
    thread = undefined;
  });
});
