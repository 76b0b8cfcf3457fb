import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { workFolders } from '../../../src/cli/doctor/work.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { claimFile } from '../../../src/ledger/file/claim-file.ts';
import { claimOf } from '../../support/ledger-world.ts';
import { openPatientWorld, type PatientWorld, WELL } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

async function lay(name: string): Promise<void> {
  await mkdir(join(world.settings.folders[0]!.work, name), { recursive: true });
}

/** The tests build on each other. */
describe('workFolders', () => {
  it('is well when they hold what the ledger has claimed', async () => {
    expect(await world.look(workFolders)).toEqual(WELL);
    const claim = claimOf();
    await claimFile(world.app.ledger, claim);
    await lay(claim.fileId);
    expect(await world.look(workFolders)).toEqual(WELL);
    const client = await world.app.ledger.pool.connect();
    await client.query('SET session_replication_role = replica');
    await client.query(`UPDATE file SET state = 'completed'`);
    await client.query('RESET session_replication_role');
    client.release();
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
    expect(found).toContain('a thing that is no claim');
    expect(found).not.toContain('stranger');
  });
});
