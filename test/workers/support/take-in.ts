import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../../src/app.ts';
import { claimDrop } from '../../../src/files/claims/claim-drop.ts';
import type { Claim } from '../../../src/files/claims/finish-claim.ts';
import { createFolderScanner } from '../../../src/files/scan-folder.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { intakeFile } from '../../../workers/intake/intake.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';

/** Drops a file and claims it by the rename, no further: the ledger does not know it yet. */
export async function claimContent(
  app: App,
  folderId: string,
  name: string,
  content: string | Uint8Array,
): Promise<Claim> {
  const folder = app.folder(folderId)!;
  await writeFile(join(folder.path, name), content);
  const scanner = createFolderScanner(
    { path: folder.path, complete: { by: 'quiet', quietMs: 0, probes: 1 } },
    app.clock,
  );
  const candidate = (await scanner.scan()).settled.find((drop) => drop.name === name)!;
  const outcome = await claimDrop(candidate, { workRoot: folder.work, folder, clock: app.clock, fileId: newFileId() });
  if (outcome.is !== 'claimed') throw new Error(`the drop is ${outcome.is}`);
  return outcome.claim;
}

/** Takes a file to its verdict. @returns its id */
export async function takeIn(
  app: App,
  folderId: string,
  content: string | Uint8Array,
  name = 'june.csv',
): Promise<string> {
  const claim = await claimContent(app, folderId, name, content);
  await takeClaim(app, claim);
  await intakeFile(app, { fileId: claim.fileId });
  return claim.fileId;
}

/** Takes in ACH charges through an account's folder. @returns the file id */
export async function takeInCharges(app: App, account: string, rows = 4, from = 1): Promise<string> {
  const content = lines(upTo(rows).map((n) => achRow(from - 1 + n)));
  return takeIn(app, `drop/${account}/ach-charge`, content, `june-${from}.csv`);
}
