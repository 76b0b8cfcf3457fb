import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildProgram, type Program } from '../../support/build-program.ts';
import { serviceVerdict } from '../../support/service-verdict.ts';
import { runChaos } from '../run-chaos.ts';
import { cutInACall } from './power-story.ts';
import { canBuildLibrary } from './power-supply.ts';

/** How often the power is cut; `npm run chaos -- --power --kills 200` cuts it more often. */
const CUTS = 16;

let program: Program;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program?.remove());

const verdict = serviceVerdict('C compiler on Linux', 'power cuts', canBuildLibrary());
it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

it.runIf(verdict.isInstalled)(
  'whenever the power goes, nothing is charged twice and nothing is lost',
  async () => {
    const report = await runChaos({
      kills: CUTS,
      seed: 20_261_127,
      queues: ['postgres'],
      canMount: false,
      hosts: 1,
      cutsPower: true,
      say: () => {},
    });
    expect(report.failures).toEqual([]);
    expect(report.kills).toBeGreaterThanOrEqual(CUTS);
    // Otherwise the cuts would be kills.
    expect(report.tally['changes undone']).toBeGreaterThan(CUTS);
  },
  3_600_000,
);

it.runIf(verdict.isInstalled)('a disk that forgets what it has synced is noticed', async () => {
  const honest = await cutInACall(program);
  expect(honest.noted).toBeGreaterThanOrEqual(honest.booked);
  const { booked, noted } = await cutInACall(program, 'journal/sends.jsonl');
  expect({ booked, noted }).toEqual({ booked: 1, noted: 0 });
});
