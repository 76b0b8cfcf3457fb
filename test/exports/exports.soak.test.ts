import { expect, it } from 'vitest';
import { MUTATIONS } from './mutations/mutations.ts';
import { playExports } from './play-exports.ts';

it('ten thousand changed exports are never accepted with other payments, and every change is tried', async () => {
  const { complaints, mutations } = await playExports(7, 50);
  expect(complaints).toEqual([]);
  expect(MUTATIONS.map(({ name }) => name).filter((name) => !mutations.has(name))).toEqual([]);
});
