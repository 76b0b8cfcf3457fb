import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rename } from 'node:fs/promises';
import { masterKey } from '../../../src/cli/doctor/keys.ts';
import { openPatientWorld, type PatientWorld } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

describe('masterKey', () => {
  it('names the key that is the one of the ledger', async () => {
    expect(await world.look(masterKey)).toEqual([
      { level: 'ok', found: `key ${world.app.keys.current.id} can be read and is the one of this ledger` },
    ]);
  });

  it('finds that it is another', async () => {
    const env = { PAYDROP_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') };
    const [finding] = await world.look(masterKey, { env });
    expect(finding).toMatchObject({ level: 'bad', mend: expect.stringContaining('right key') });
    expect(finding!.found).toContain(`it needs master key ${world.app.keys.current.id}`);
    expect(JSON.stringify(finding)).not.toContain(env.PAYDROP_MASTER_KEY);
  });

  it('finds that it is missing', async () => {
    const path = world.settings.paths.masterKey;
    await rename(path, `${path}.away`);
    expect(await world.look(masterKey)).toMatchObject([{ level: 'bad', found: expect.stringContaining('missing') }]);
    await rename(`${path}.away`, path);
  });
});
