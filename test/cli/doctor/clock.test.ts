import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clock } from '../../../src/cli/doctor/clock.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { openPatientWorld, type PatientWorld } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

describe('clock', () => {
  it('is well when host, database and service agree', async () => {
    const findings = await world.look(clock);
    expect(findings).toHaveLength(1 + world.settings.accounts.size);
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
  });

  it('finds a service whose clock is another, now or at a call that was made', async () => {
    const [name] = [...world.settings.accounts.keys()];
    world.sandbox.clock.advance(120_000);
    const now = await world.look(clock);
    expect(now).toContainEqual({
      level: 'bad',
      found: expect.stringMatching(
        `^account ${name}: the clock of the service is (1[12]\\d seconds|2 minutes) ahead of that of the database$`,
      ),
      mend: expect.stringContaining('NTP'),
    });
  });

  it.each([
    [5_000, 'warn', /^the clock of this host is [2-5] seconds ahead of that of the database$/],
    [-5_000, 'warn', /^the clock of this host is [2-5] seconds behind that of the database$/],
    [7_180_000, 'bad', /^the clock of this host is 2 hours ahead of that of the database$/],
    [-7_180_000, 'bad', /^the clock of this host is 2 hours behind that of the database$/],
  ])('finds a host that is %i ms off: %s', async (offMs, level, found) => {
    const host = handClock(new Date(world.app.clock.now().getTime() + offMs));
    const [finding] = await world.look(clock, { clock: host });
    expect(finding).toMatchObject({
      level,
      found: expect.stringMatching(found),
      mend: expect.stringContaining('Compare both with a third clock. Let the host that is off keep time by NTP'),
    });
  });
});
