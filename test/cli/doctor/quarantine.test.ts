import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS } from '../../../schemas/errors.ts';
import { quarantine } from '../../../src/cli/doctor/work.ts';
import { openPatientWorld, type PatientWorld, WELL } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

/** The tests build on each other. */
describe('quarantine', () => {
  it('is well when nothing lies in it, or it was never made', async () => {
    expect(await world.look(quarantine)).toEqual(WELL);
    const paths = { ...world.settings.paths, quarantine: join(world.root, 'nowhere') };
    expect(await world.look(quarantine, { settings: { ...world.settings, paths } })).toEqual(WELL);
  });

  it('names each drop with its reason and what to do', async () => {
    await symlink('/dev/null', join(world.settings.folders[0]!.path, 'link.csv'));
    await world.finish();
    expect(await world.look(quarantine)).toEqual([
      {
        level: 'warn',
        found: expect.stringMatching(/^[0-9a-z]{16}: "link\.csv" from \S+ since \S+Z: DROP_SYMLINK$/),
        mend: `${ERRORS.DROP_SYMLINK.remedy} Tell the sender; remove its folder in quarantine when that is done.`,
      },
    ]);
  });

  it('names one without a reason, and counts what is too many to name', async () => {
    const root = world.settings.paths.quarantine;
    await rm(root, { recursive: true });
    for (let n = 0; n < 22; n += 1) await mkdir(join(root, `drop-${n}`), { recursive: true });
    const findings = await world.look(quarantine);
    expect(findings).toHaveLength(21);
    expect(findings[0]!.found).toMatch(/^drop-\d+: its reason\.json cannot be read$/);
    expect(findings[20]!.found).toBe(`and 2 more in "${root}"`);
  });
});
