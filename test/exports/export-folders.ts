import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDER_OPERATIONS } from '../../schemas/operations.ts';
import type { Profile } from '../../schemas/profiles.ts';
import { profileText } from '../../src/csv/profile/profile-text.ts';
import type { Claim } from '../../src/files/claims/finish-claim.ts';
import { readFaults, readFileRow } from '../../src/ledger/file/read-file.ts';
import type { Fault } from '../../src/rows/rows.ts';
import { checkFolders } from '../../workers/watch/check-folders.ts';
import { openCliWorld } from '../cli/support/cli-world.ts';
import { putConfirmed, SAMPLE } from '../ledger/support/put-version.ts';
import { claimContent } from '../workers/support/story.ts';
import { profileOf, type System } from './systems/system.ts';
import { intakeFile, takeClaim } from '../support/work-alone.ts';

/** A folder that reads the exports of a system, and its account. A plain one takes the layouts, without a profile. */
export type ExportFolder = { readonly account: string; readonly system: System; readonly isPlain?: true };

/** Opens an installation with these folders. Each profile is confirmed, and also lies as a text beside `paydrop.yaml`. */
export async function openExportFolders(
  folders: readonly ExportFolder[],
  { firstFiles, settings }: { firstFiles: number; settings: object },
) {
  const login = { password: 'TEST88', baseUrl: 'http://127.0.0.1:1' };
  // Accounts of one agent code would be one merchant.
  const accounts = folders.map(
    ({ account, system }) =>
      [account, { ...system.place.account, ...login, agentCode: account.toUpperCase() }] as const,
  );
  const world = await openCliWorld({
    settings: {
      accounts: Object.fromEntries(accounts),
      folders: folders.map((folder) => ({ ...settingsOf(folder), ...settings })),
    },
  });
  await checkFolders(world.settings);
  const confirm = (name: string, profile: Profile, sample = SAMPLE) =>
    putConfirmed(world.app.ledger, name, profileText(profile), firstFiles, sample);
  for (const { system, isPlain } of folders) {
    if (isPlain) continue;
    const { sign } = FOLDER_OPERATIONS[system.place.operation];
    await confirm(system.name, profileOf(system), { ...SAMPLE, cents: sign * SAMPLE.cents });
    await writeFile(join(world.root, `${system.name}.yaml`), profileText(profileOf(system)));
  }
  let files = 0;

  /** Claims a dropped file by the rename; the ledger does not know it yet. */
  function seen(system: string, bytes: Uint8Array): Promise<Claim> {
    return claimContent(world.app, folderId(system), `export-${(files += 1)}.csv`, bytes);
  }

  async function intake({ fileId }: Claim) {
    await intakeFile(world.app, { fileId });
    const file = await readFileRow(world.app.ledger, fileId);
    const faults: Fault[] = [];
    for await (const page of readFaults(world.app.ledger, file.file_no)) faults.push(...page);
    return { file, faults, codes: faults.map(({ code }) => code) };
  }

  async function take(system: string, bytes: Uint8Array) {
    const claimed = await seen(system, bytes);
    await takeClaim(world.app, claimed);
    return intake(claimed);
  }

  return { ...world, confirm, seen, claim: (claimed: Claim) => takeClaim(world.app, claimed), intake, take };
}

/** Returns the id of the folder of a system. */
export function folderId(system: string): string {
  return `drop/${system}`;
}

function settingsOf({ account, system: { name, place }, isPlain }: ExportFolder) {
  const complete = { by: 'quiet', quietMs: 50, probes: 2 };
  const folder = { path: folderId(name), account, operation: place.operation, complete, unusualFactor: 0 };
  return isPlain ? folder : { ...folder, profile: name };
}
