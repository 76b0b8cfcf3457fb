import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bad, type Check, type Finding, findingOf, type Patient } from '../../../../src/cli/doctor/check.ts';
import { ownFolders } from '../../../../src/cli/doctor/folders.ts';
import type { Settings } from '../../../../src/config/config.ts';
import { openPipelineWorld, type PipelineWorld, type WorldOptions } from '../../../support/pipeline-world.ts';

export type PatientWorld = PipelineWorld & {
  patient: Patient;
  /** Returns the findings of a check, with some parts replaced. */
  look(check: Check, change?: Partial<Patient>): Promise<Finding[]>;
};

/** Opens a healthy installation, with its folders as `paydrop init` and the first start make them. */
export async function openPatientWorld(options: WorldOptions = {}): Promise<PatientWorld> {
  const world = await openPipelineWorld(options);
  await makeOwnFolders(world.settings);
  await writeFile(join(world.root, 'paydrop.yaml'), '', { mode: 0o600 });
  const patient = { settings: world.settings, env: {}, clock: world.app.clock, ledger: world.app.ledger };
  const look = async (check: Check, change: Partial<Patient> = {}) => {
    try {
      return await check.look({ ...patient, ...change });
    } catch (error) {
      return [findingOf(error, bad)];
    }
  };
  return { ...world, patient, look };
}

export async function makeOwnFolders(settings: Settings): Promise<void> {
  for (const dir of ownFolders(settings)) {
    await mkdir(dir, { recursive: true });
    await chmod(dir, 0o700);
  }
}

/** A single `ok` finding, whatever its text. */
export const WELL: unknown = [{ level: 'ok', found: expect.any(String) }];
