import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileSystems } from '../../../src/cli/doctor/folders.ts';
import { openPatientWorld, type PatientWorld, WELL } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

describe('fileSystems', () => {
  it('is well when drop and work folder lie together', async () => {
    expect(await world.look(fileSystems)).toEqual(WELL);
  });

  it('names a drop folder whose work folder lies elsewhere', async () => {
    const [folder] = world.settings.folders;
    // `/proc` is on no disk.
    const settings = { ...world.settings, folders: [{ ...folder!, work: '/proc' }] };
    expect(await world.look(fileSystems, { settings })).toMatchObject([
      { level: 'bad', found: expect.stringContaining('"drop/card" lies on another file system than its work folder') },
    ]);
  });

  it('leaves folders that are missing to the other check', async () => {
    const [folder] = world.settings.folders;
    const settings = { ...world.settings, folders: [{ ...folder!, work: '/nowhere' }] };
    expect(await world.look(fileSystems, { settings })).toEqual(WELL);
  });
});
