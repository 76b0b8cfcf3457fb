import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { walk } from './model.ts';

const WALKS = 2_000;

it('the rules of admission let no batch leave twice in many walks', () => {
  const first = randomInt(1_000_000_000);
  for (let seed = first; seed < first + WALKS; seed += 1) {
    for (const isOneFolder of [false, true]) {
      const { doubles, story } = walk(seed, undefined, { isOneFolder });
      expect(doubles, `seed ${seed}, one folder: ${isOneFolder}\n${story.join('\n')}`).toBe(0);
    }
  }
});
