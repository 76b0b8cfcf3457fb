import { afterAll, beforeAll, expect, it } from 'vitest';
import { killsOf, playStory } from './run-chaos.ts';
import type { Act } from './support/acts.ts';
import { buildProgram, type Program } from '../support/build-program.ts';

/**
 * Kills a daemon where a second send is nearest: the whole request has left and its answer is unknown.
 * chaos.soak.test.ts kills at every point.
 */
const ACTS: readonly Act[] = [{ kind: 'point', order: { point: 'submit.request-written', hits: 1 } }];

let program: Program;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program?.remove());

it('killed in the middle of a call, nothing is charged twice, nothing is lost, no number is readable and all comes to rest', async () => {
  const plan = { program, seed: 20_260_615, queue: 'postgres', canMount: false, resolveMost: 0 } as const;
  const { failures, story, tally } = await playStory({ ...plan, acts: ACTS, restEvery: ACTS.length });
  expect(failures, [...failures, ...story].join('\n')).toEqual([]);
  expect(killsOf(tally)).toBe(ACTS.length);
});
