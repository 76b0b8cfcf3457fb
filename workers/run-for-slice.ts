import type { Payload } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { reasonOf } from '../src/kernel/errors.ts';

/** How long a job works on its files, in ms. */
const SLICE_MS = 1_000;

type Turn = {
  /** Ends the time slice after the files in progress. */
  signal: AbortSignal;
  askAgain(fileIds: readonly string[]): Promise<void>;
  atOnce?: number;
  /** For tests. */
  sliceMs?: number | undefined;
};

/**
 * Works on a job's files in order for one time slice, so that it does not keep other jobs waiting. A file that fails
 * does not stop those after it.
 * @param work `before` resolves when the files before it are done
 * @throws the first failure, after the last file
 */
export async function runForSlice(
  app: App,
  { fileId: first, more = [] }: Payload<'intake' | 'deliver'>,
  { signal, askAgain, atOnce = 1, sliceMs = SLICE_MS }: Turn,
  work: (fileId: string, before: Promise<void>) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  const isOver = () => signal.aborted || performance.now() - began >= sliceMs;
  const left: string[] = [];
  const failures: unknown[] = [];
  await keepOrder([first, ...more], atOnce, async (fileId, before) => {
    if (fileId !== first && isOver()) {
      left.push(fileId);
      return;
    }
    try {
      await work(fileId, before);
    } catch (error) {
      if (more.length > 0) app.log.error({ fileId }, reasonOf(error));
      failures.push(error);
    }
  });
  await askAgain(left);
  if (failures.length > 0) throw failures[0];
}

/**
 * Works on several things at a time, and lets each do its last part only after those before it have ended.
 * @param atOnce how many at a time
 * @param work must not reject; awaits `turn` before the part that must happen in order
 */
export async function keepOrder<Thing>(
  things: readonly Thing[],
  atOnce: number,
  work: (thing: Thing, turn: Promise<void>) => Promise<void>,
): Promise<void> {
  /** For each thing: resolves when it and all before it have ended. */
  const ended: Promise<void>[] = [];
  for (const [place, thing] of things.entries()) {
    await ended[place - atOnce];
    const before = ended[place - 1] ?? Promise.resolve();
    const working = work(thing, before);
    ended.push(before.then(() => working));
  }
  await ended.at(-1);
}
