import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { destroyedKeys } from '../../../src/cli/doctor/keys.ts';
import { cleanStorage, IN_PASSING } from '../../../src/ledger/retention/clean-storage.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { query } from '../../workers/support/story.ts';
import { openPatientWorld, type PatientWorld, WELL } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
  await world.drop('card', 'june.csv', lines([cardRow(1)]));
  await world.finish();
  await query(world.app, 'DELETE FROM file_secret');
  await query(world.app, 'UPDATE file SET shredded_at = now(), fingerprints_dropped_at = now()');
});
afterAll(() => world.close());

describe('destroyedKeys', () => {
  it('warns of what is not cleaned for a day, with the reason, and is well afterwards', async () => {
    const { ledger, clock } = world.app;
    await cleanStorage(ledger, { ...IN_PASSING, mostBytes: 0 });
    expect(await world.look(destroyedKeys)).toEqual(WELL);
    const tomorrow = { clock: handClock(new Date(clock.now().getTime() + 86_400_001)) };
    const findings = await world.look(destroyedKeys, tomorrow);
    expect(findings.map(({ level }) => level)).toEqual(['warn', 'warn']);
    expect(findings[0]).toMatchObject({
      found: expect.stringMatching(/destroyed keys of 1 file since .*: at 1 MB the table is too large/),
      mend: expect.stringContaining('paydrop retention clean'),
    });
    await cleanStorage(ledger);
    expect(await world.look(destroyedKeys, tomorrow)).toEqual(WELL);
  });
});
