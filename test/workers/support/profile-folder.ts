import { intakeFile } from '../../../workers/intake/intake.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { PROFILE_TEXT, putConfirmed } from '../../ledger/support/put-version.ts';
import type { StepWorld } from './step-world.ts';
import { claimContent } from './take-in.ts';

export const PROFILE_TITLES = 'Number,Customer,Memo,Due';

let profiles = 0;

/** Opens a folder of card payments whose files this profile reads, with titles in their first line. */
export async function openProfileFolder(world: StepWorld, text = PROFILE_TEXT) {
  const name = `dues-${(profiles += 1)}`;
  const version = await putConfirmed(world.app.ledger, name, text);
  const id = `drop/${world.freshAccount()}/card`;
  const folder = { ...world.app.folder(id)!, profile: name };
  const app = { ...world.app, folder: (wanted: string) => (wanted === id ? folder : undefined) };
  const seen = (rows: readonly string[], titles = PROFILE_TITLES) =>
    claimContent(app, id, `june-${rows.length}.csv`, [titles, ...rows].map((row) => `${row}\n`).join(''));
  const claim = async (...rows: string[]) => {
    const claimed = await seen(rows);
    await takeClaim(app, claimed);
    return claimed.fileId;
  };
  const drop = async (...rows: string[]) => {
    const fileId = await claim(...rows);
    await intakeFile(app, { fileId });
    return fileId;
  };
  return { app, name, version, seen, claim, drop };
}
