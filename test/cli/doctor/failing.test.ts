import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failing } from '../../../src/cli/doctor/work.ts';
import { noteFailure } from '../../../src/ledger/alarm/note-failure.ts';
import { openPatientWorld, type PatientWorld, WELL } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

describe('failing', () => {
  it('is well when nothing fails, and names what does with what helps', async () => {
    expect(await world.look(failing)).toEqual(WELL);
    const item = { work: 'push', subject: 'bank:/in' } as const;
    for (let n = 0; n < 3; n += 1) await noteFailure(world.app.ledger, item, { reason: 'refused' }, 1_000);
    expect(await world.look(failing)).toEqual([
      {
        level: 'bad',
        found: 'Cannot upload output files to bank:/in: failed 3 times: refused',
        mend: expect.stringContaining('the output files stay here'),
      },
    ]);
  });
});
