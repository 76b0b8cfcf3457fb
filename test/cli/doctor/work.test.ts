import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failing, quarantine, temporaries, workFolders } from '../../../src/cli/doctor/work.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { claimFile } from '../../../src/ledger/file/claim-file.ts';
import { forceSql } from '../../support/force-sql.ts';
import { claimOf } from '../../support/ledger-world.ts';
import { openPatientWorld, WELL } from './support/patient-world.ts';
import { ERRORS } from '../../../schemas/errors.ts';
import { noteFailure } from '../../../src/ledger/alarm/note-failure.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openPatientWorld);

async function lay(name: string): Promise<void> {
  await mkdir(join(world.settings.folders[0]!.work, name), { recursive: true });
}

/** The tests build on each other. */
describe('quarantine', () => {
  it('is well when it is empty, or it was never made', async () => {
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
        mend: `${ERRORS.DROP_SYMLINK.remedy} Tell the sender, then remove its folder in quarantine.`,
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

/** The tests build on each other. */
describe('workFolders', () => {
  it('is well when they match the claims in the ledger', async () => {
    expect(await world.look(workFolders)).toEqual(WELL);
    const claim = claimOf();
    await claimFile(world.app.ledger, claim);
    await lay(claim.fileId);
    expect(await world.look(workFolders)).toEqual(WELL);
    await forceSql(world.app, `UPDATE file SET state = 'completed'`);
    expect(await world.look(workFolders)).toMatchObject([
      { level: 'warn', found: expect.stringMatching(new RegExp(`^1 in ".*" and decided: ${claim.fileId}$`)) },
    ]);
  });

  it('names what the ledger does not know, and what is no claim', async () => {
    const fileId = newFileId();
    await lay(fileId);
    await lay('a stranger');
    const found = (await world.look(workFolders)).map((finding) => finding.found).join('\n');
    expect(found).toContain(`and not in the ledger: ${fileId}`);
    expect(found).toContain('an entry that is not a claim');
    expect(found).not.toContain('stranger');
  });
});

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

it('failing is well when nothing fails, and names what does with what helps', async () => {
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
