import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildProgram, type Program } from '../../support/build-program.ts';
import { postgresVerdict } from '../../support/installed-postgres.ts';
import { playFleetStory } from '../play-story.ts';
import type { FleetAct } from './fleet-acts.ts';

/** Two hosts that send from one ledger, which goes back in several ways. `npm run chaos -- --hosts 2` has all of them. */
const ACTS: readonly FleetAct[] = [
  { kind: 'copy-back', from: 1, more: 2 },
  { kind: 'freeze-host', at: { point: 'commit.after', move: 'send' }, hasSecond: true },
  { kind: 'restore-on-other-host', host: 0, from: 1, more: 2 },
  { kind: 'lose-journal', host: 0, from: 1, more: 2 },
  { kind: 'promote-stale', splitMs: 500, from: 1, more: 2 },
];

let program: Program;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program?.remove());

const verdict = postgresVerdict();
it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

it.runIf(verdict.isInstalled)(
  'whatever goes back, nothing is charged twice that any journal knows, nothing is lost and all comes to rest',
  async () => {
    const plan = {
      program,
      seed: 20_260_615,
      queue: 'postgres',
      hosts: 2,
      resolveMost: 1,
      acts: ACTS.map((act) => ({ ...act, isFresh: true })),
    } as const;
    const { failures, story, tally } = await playFleetStory(plan);
    expect(failures, [...failures, ...story].join('\n')).toEqual([]);
    for (const { kind } of ACTS) expect(Object.keys(tally).some((name) => name.startsWith(`${kind}:`))).toBe(true);
  },
  1_200_000,
);
