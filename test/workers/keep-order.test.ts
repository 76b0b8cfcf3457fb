import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { keepOrder } from '../../workers/run-for-slice.ts';

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
