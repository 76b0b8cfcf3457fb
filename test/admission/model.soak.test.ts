import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { walk } from './model.ts';
import { walkNames } from './name-model.ts';

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

/** Each takes some microseconds. */
const NAME_WALKS = 200_000;

it('the rule of merchants lets no file leave twice to a merchant, or to another one, in many walks', () => {
  const first = randomInt(1_000_000_000);
  for (let seed = first; seed < first + NAME_WALKS; seed += 1) {
    const { doubles, astray, story } = walkNames(seed);
    if (doubles + astray > 0) expect([doubles, astray], `seed ${seed}\n${story.join('\n')}`).toEqual([0, 0]);
  }
});
