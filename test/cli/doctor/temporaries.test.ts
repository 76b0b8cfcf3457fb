import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaries } from '../../../src/cli/doctor/work.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { openPatientWorld, type PatientWorld, WELL } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

/** The tests build on each other. */
describe('temporaries', () => {
  it('spares what may still be written', async () => {
    await writeFile(join(world.settings.paths.out, '.a.csv.0123456789abcdef.tmp'), '');
    expect(await world.look(temporaries)).toEqual(WELL);
  });

  it('finds what a process has left, and leaves it', async () => {
    const path = join(world.settings.paths.out, '.a.csv.0123456789abcdef.tmp');
    await utimes(path, 0, 0);
    const findings = [
      { level: 'warn', found: `1 unfinished in "${world.settings.paths.out}"`, mend: expect.any(String) },
    ];
    expect(await world.look(temporaries)).toEqual(findings);
    expect(await world.look(temporaries)).toEqual(findings);
  });

  it('finds drafts in the archive', async () => {
    const day = join(world.settings.paths.archive, '2026', '06', '15');
    await mkdir(day, { recursive: true });
    await writeFile(join(day, `.${newFileId()}.sealed.0123456789ab.part`), '');
    const found = (await world.look(temporaries)).map((finding) => finding.found);
    expect(found).toContain('1 unfinished in the archive');
  });
});
