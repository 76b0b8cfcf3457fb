import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Check, ok } from '../../../src/cli/doctor/check.ts';
import { examine } from '../../../src/cli/doctor/doctor.ts';
import { closedUrl } from '../../workers/support/step-world.ts';
import { openPatientWorld, type PatientWorld } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

const alone: Check = { name: 'Alone', needs: 'nothing', look: async () => [ok('seen')] };
const within: Check = { name: 'Within', needs: 'ledger', look: async () => [ok('seen')] };
const failing: Check = {
  name: 'Failing',
  needs: 'nothing',
  look: async () => {
    throw new Error('4111111111111111');
  },
};

describe('examine', () => {
  it('makes every check, whatever becomes of the others', async () => {
    const examined = await examine(world.patient, [failing, alone, within]);
    expect(examined.map(({ name, findings }) => [name, findings[0]!.level])).toEqual([
      ['Failing', 'bad'],
      ['Alone', 'ok'],
      ['Within', 'ok'],
    ]);
    expect(JSON.stringify(examined)).not.toContain('4111111111111111');
  });

  it('tells of a ledger that does not answer, and leaves out what needs it', async () => {
    const databaseUrl = (await closedUrl()).replace('http', 'postgres');
    const settings = { ...world.settings, databaseUrl };
    const examined = await examine({ ...world.patient, settings }, [alone, within]);
    expect(examined).toMatchObject([{ name: 'Ledger', findings: [{ level: 'bad' }] }, { name: 'Alone' }]);
  });

  it('makes no ledger where there is none', async () => {
    const data = await mkdtemp(join(tmpdir(), 'paydrop-doctor-'));
    await mkdir(join(data, 'work'));
    const settings = { ...world.settings, databaseUrl: undefined, paths: { ...world.settings.paths, data } };
    const examined = await examine({ ...world.patient, settings }, [within]);
    expect(examined).toMatchObject([{ name: 'Ledger', findings: [{ level: 'warn', found: 'there is none yet' }] }]);
    expect(await readdir(data)).toEqual(['work']);
    await rm(data, { recursive: true });
  });
});
