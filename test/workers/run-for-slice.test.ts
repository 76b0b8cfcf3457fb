import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { keepOrder, runForSlice } from '../../workers/run-for-slice.ts';
import { logIntoLines } from '../queue/support/queue-world.ts';

const JOB: { fileId: string; more?: string[] } = { fileId: 'one', more: ['two', 'three'] };

/** Runs a time slice over three files. @returns the files worked on and those requested again */
async function take(
  work: (fileId: string) => void | Promise<void>,
  { sliceMs = 60_000, signal = new AbortController().signal, job = JOB } = {},
) {
  const { log, lines } = logIntoLines();
  const done: string[] = [];
  const again: string[] = [];
  const failure = await runForSlice(
    { log } as App,
    job,
    { signal, sliceMs, askAgain: async (fileIds) => void again.push(...fileIds) },
    async (fileId) => {
      done.push(fileId);
      await work(fileId);
    },
  ).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { done, again, failure, lines };
}

describe('runForSlice', () => {
  it('works on every file of its job, one after the other', async () => {
    let running = 0;
    const taken = await take(async () => {
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      running -= 1;
    });
    expect(taken).toMatchObject({ done: ['one', 'two', 'three'], again: [], failure: undefined });
  });

  it('takes a job of one file', async () => {
    expect(await take(() => {}, { job: { fileId: 'one' } })).toMatchObject({ done: ['one'], again: [] });
  });

  it('asks again for what is left when its time is over', async () => {
    expect(await take(() => {}, { sliceMs: 0 })).toMatchObject({ done: ['one'], again: ['two', 'three'] });
  });

  it('asks again for what is left when it is told to end', async () => {
    const stop = new AbortController();
    const taken = await take((fileId) => (fileId === 'two' ? stop.abort() : undefined), { signal: stop.signal });
    expect(taken).toMatchObject({ done: ['one', 'two'], again: ['three'] });
  });

  it('goes on behind a file that fails, says which one it was, and fails in the end', async () => {
    const broken = new Error('one is broken');
    const taken = await take((fileId) => {
      if (fileId === 'one') throw broken;
    });
    expect(taken).toMatchObject({ done: ['one', 'two', 'three'], again: [], failure: broken });
    expect(taken.lines).toMatchObject([{ fileId: 'one', msg: 'one is broken' }]);
  });

  it('leaves the failure of an only file to the queue, which says it', async () => {
    const taken = await take(
      () => {
        throw new Error('broken');
      },
      { job: { fileId: 'one' } },
    );
    expect(taken.failure).toMatchObject({ message: 'broken' });
    expect(taken.lines).toEqual([]);
  });
});

/** Works on items, each waiting this many rounds before its turn. @returns what happened, in order */
async function workOn(rounds: readonly number[], atOnce: number): Promise<string[]> {
  const story: string[] = [];
  await keepOrder(
    rounds.map((count, place) => ({ count, place })),
    atOnce,
    async ({ count, place }, turn) => {
      story.push(`begin ${place}`);
      for (let round = 0; round < count; round += 1) await nextRound();
      await turn;
      story.push(`end ${place}`);
    },
  );
  return story;
}

describe('keepOrder', () => {
  it.each([1, 2, 4, 9])('lets all end in their order, %s at a time', async (atOnce) => {
    const story = await workOn([9, 0, 3, 0, 0, 5, 1], atOnce);
    const ends = story.filter((step) => step.startsWith('end'));
    expect(ends).toEqual([0, 1, 2, 3, 4, 5, 6].map((place) => `end ${place}`));
  });

  it('begins as many as it may before the first has ended, and no more', async () => {
    expect((await workOn([5, 0, 0, 0], 3)).slice(0, 4)).toEqual(['begin 0', 'begin 1', 'begin 2', 'end 0']);
    expect((await workOn([5, 0], 1)).slice(0, 2)).toEqual(['begin 0', 'end 0']);
  });

  it('keeps the order behind one that ends without waiting for its turn', async () => {
    const story: number[] = [];
    await keepOrder([0, 1, 2], 3, async (place, turn) => {
      if (place === 1) return;
      if (place === 0) for (let round = 0; round < 5; round += 1) await nextRound();
      await turn;
      story.push(place);
    });
    expect(story).toEqual([0, 2]);
  });

  it('has nothing to do with nothing', async () => {
    expect(await workOn([], 2)).toEqual([]);
  });
});
