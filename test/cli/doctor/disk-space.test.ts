import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diskSpace, judgeRoom } from '../../../src/cli/doctor/disk-space.ts';
import { openPatientWorld, type PatientWorld } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

describe('diskSpace', () => {
  it('says how much is free where least is', async () => {
    const [finding] = await world.look(diskSpace);
    expect(finding!.found).toMatch(/^at least \d+ MiB are free everywhere$|MiB are free in/);
  });
});

describe('judgeRoom', () => {
  it.each([
    [99, 'bad'],
    [100, 'warn'],
    [1_023, 'warn'],
    [1_024, undefined],
  ])('%i MiB: %s', (free, level) => {
    expect(judgeRoom('/srv', free)?.level).toBe(level);
  });
});
