import { chmod } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyFile } from '../../../src/cli/doctor/keys.ts';
import { openPatientWorld, type PatientWorld } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

describe('keyFile', () => {
  it('names the key by its id', async () => {
    expect(await world.look(keyFile)).toEqual([{ level: 'ok', found: `key ${world.app.keys.current.id} can be read` }]);
  });

  it('finds one that others may read, and says the command', async () => {
    const path = world.settings.paths.masterKey;
    await chmod(path, 0o644);
    const [finding] = await world.look(keyFile);
    expect(finding).toMatchObject({ level: 'bad', mend: expect.stringContaining(`chmod 600 "${path}"`) });
    await chmod(path, 0o600);
  });

  it('finds a key of the environment that is none, and does not say it', async () => {
    const [finding] = await world.look(keyFile, { env: { PAYDROP_MASTER_KEY: 'hunter2' } });
    expect(finding).toMatchObject({ level: 'bad' });
    expect(JSON.stringify(finding)).not.toContain('hunter2');
  });
});
