import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { permissions } from '../../../src/cli/doctor/folders.ts';
import { openPatientWorld, type PatientWorld, WELL } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

describe('permissions', () => {
  it('is well when nobody else has rights that matter', async () => {
    expect(await world.look(permissions)).toEqual(WELL);
  });

  it.each([
    ['paydrop.yaml', 0o620, 0o600, 'go-w'],
    ['data', 0o744, 0o711, 'go-rw'],
    ['data/master.key', 0o640, 0o600, '600'],
    ['data/journal/sends.jsonl', 0o620, 0o600, 'go-w'],
    ['data/archive', 0o750, 0o700, '700'],
    ['data/work', 0o701, 0o700, '700'],
    ['out', 0o705, 0o770, 'o-rwx'],
    ['quarantine', 0o701, 0o700, 'o-rwx'],
    ['drop/card', 0o777, 0o775, 'o-w'],
  ])('finds that %s has mode %o, and takes %o', async (name, loose, tight, mode) => {
    const path = join(world.root, name);
    await chmod(path, loose);
    expect(await world.look(permissions)).toMatchObject([
      {
        level: 'bad',
        found: expect.stringContaining(`"${path}" has mode 0${loose.toString(8)}: `),
        mend: `chmod ${mode} ${path}`,
      },
    ]);
    await chmod(path, tight);
    expect(await world.look(permissions)).toEqual(WELL);
  });
});
