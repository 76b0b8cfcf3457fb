import { statSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type App, openApp } from '../../src/app.ts';
import { claimDrop } from '../../src/files/claims/claim-drop.ts';
import { newFileId } from '../../src/kernel/ids.ts';
import { bindHere } from '../../workers/bind-here.ts';
import { INTAKE } from '../../workers/intake/intake.ts';
import { runOnce } from '../../workers/stage.ts';
import { storeClaims } from '../../workers/watch/take-claim.ts';
import { loadSettings } from '../../src/config/config.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { transact } from '../../src/ledger/engine/transaction.ts';
import { confirmVersion, importVersion } from '../../src/ledger/profile/move-profile.ts';
import { CARD_PROFILE } from '../files/card-profile.ts';
import { PROFILE_NAME } from './plain-config.ts';

/** Claims a copy of a file and takes it in. @returns the id of the file */
export async function takeInFile(app: App, path: string): Promise<string> {
  const fileId = await claimFile(app, path);
  await runOnce(app, INTAKE);
  return fileId;
}

/** Claims a copy of a file: renames, seals and hashes it. @returns the id of the file */
export async function claimFile(app: App, path: string): Promise<string> {
  const fileId = newFileId();
  const folder = app.settings.folders[0]!;
  const dropped = join(folder.path, `${fileId}.csv`);
  await copyFile(path, dropped);
  await mkdir(folder.work, { recursive: true });
  const { size, mtimeMs, ino } = statSync(dropped, { bigint: true });
  const outcome = await claimDrop(
    {
      path: Buffer.from(dropped),
      name: `${fileId}.csv`,
      bytes: Number(size),
      mtimeMs: Number(mtimeMs),
      inode: ino,
      sinceMs: app.clock.now().getTime(),
      completeness: 'quiet',
    },
    { workRoot: folder.work, folder, clock: app.clock, fileId },
  );
  if (outcome.is !== 'claimed') throw new Error(`the file was not claimed: ${outcome.is}`);
  await storeClaims(app, [outcome.claim]);
  return fileId;
}

/** Imports the profile of card files and confirms it. */
export async function confirmProfile({ ledger }: App): Promise<void> {
  const because = { actor: 'operator:bench', reason: 'measured' };
  const text = { name: PROFILE_NAME, text: CARD_PROFILE, sha256: sha256Of(Buffer.from(CARD_PROFILE)), firstFiles: 0 };
  const { version } = await importVersion(ledger, text, because);
  const sample = { sha256: text.sha256, rows: 1, cents: 1, skipped: [] };
  await transact(ledger, (tx) => confirmVersion(tx, version.profile_no, sample, because));
}

/** Opens paydrop's parts in an installation, without its workers. */
export async function openBenchApp(root: string): Promise<App> {
  const app = await openApp(loadSettings(root, {}), { log: silentLog(), env: {} });
  await bindHere(app);
  return app;
}
