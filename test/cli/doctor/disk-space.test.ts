import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diskSpace, judgeRoom } from '../../../src/cli/doctor/folders.ts';
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

  it('looks at an archive on a disk of its own', async () => {
    // `/proc` has no free space at all.
    const settings = { ...world.settings, paths: { ...world.settings.paths, archive: '/proc' } };
    expect(await world.look(diskSpace, { settings })).toContainEqual(
      expect.objectContaining({ level: 'bad', found: '0 MiB are free in "/proc"' }),
    );
  });
});

describe('judgeRoom', () => {
  it.each([
    [99, 'bad'],
    [100, 'warn'],
    [1_023, 'warn'],
    [1_024, undefined],
  ])('%i MiB: %s', (free, level) => {
    expect(judgeRoom([{ path: '/srv', disk: '1', free }])?.level).toBe(level);
  });

  it('says once what several folders of a disk share', () => {
    const rooms = ['/srv/drop', '/srv/out', '/srv/data'].map((path) => ({ path, disk: '1', free: 7 }));
    expect(judgeRoom(rooms)?.found).toBe('7 MiB are free in "/srv/drop", and on its disk for 2 other folders');
  });
});
