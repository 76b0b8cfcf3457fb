import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clock } from '../../../src/cli/doctor/clock.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { openPatientWorld, type PatientWorld, WELL } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

describe('clock', () => {
  it('is well when host and database agree', async () => {
    expect(await world.look(clock)).toEqual(WELL);
  });

  it.each([
    [5_000, 'warn'],
    [-5_000, 'warn'],
    [120_000, 'bad'],
    [-120_000, 'bad'],
  ])('finds a host that is %i ms off: %s', async (offMs, level) => {
    const host = handClock(new Date(world.app.clock.now().getTime() + offMs));
    const [finding] = await world.look(clock, { clock: host });
    expect(finding).toMatchObject({ level, mend: expect.stringContaining('NTP') });
    expect(finding!.found).toMatch(/are \d+ s apart$/);
  });
});
