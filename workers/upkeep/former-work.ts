import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { claimFoldersHere, type Settings } from '../../src/config/config.ts';
import { readNotes } from '../../src/files/claims/finish-claim.ts';
import { listRetired } from '../../src/files/claims/retire-claim.ts';
import { listFolder } from '../../src/files/list-folder.ts';
import { counted } from '../../src/kernel/counted.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import { syncFolder } from '../../src/kernel/folders.ts';
import { FILE_ID } from '../../src/kernel/ids.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import { forgetWorkFolder, listFormerWorkFolders, noteWorkFolders } from '../../src/ledger/process/work-folders.ts';

type Here = Pick<Settings, 'folders' | 'leftFolders' | 'site'>;

function presentWorks(settings: Here): string[] {
  return [...new Set(claimFoldersHere(settings).map(({ work }) => work))];
}

/** Returns the work folders that earlier configurations of this site had. */
export function formerWorks(ledger: Ledger, settings: Here): Promise<string[]> {
  return listFormerWorkFolders(ledger, settings.site, presentWorks(settings));
}

/**
 * Takes claims along from work folders that no drop folder uses any more: each is moved, by one rename, into the present
 * work folder of its drop folder. Before the claims are taken on, because the intake looks for them there. What cannot be
 * moved stays, and is an obstacle (findFormerWork).
 */
export async function bringFormerClaims(app: App): Promise<void> {
  const { ledger, settings } = app;
  await noteWorkFolders(ledger, settings.site, presentWorks(settings));
  for (const former of await formerWorks(ledger, settings)) {
    await bringFrom(app, former).catch((error: unknown) =>
      app.log.error(
        { dir: former },
        `claims in a former work folder were not moved, and stay there: ${reasonOf(error)}`,
      ),
    );
    if ((await lookInto(former)).is === 'empty') await forgetWorkFolder(ledger, settings.site, former);
  }
}

async function bringFrom(app: App, former: string): Promise<void> {
  const folders = claimFoldersHere(app.settings);
  for (const { key, stats } of await listClaimed(former)) {
    if (!stats.isDirectory()) continue;
    const notes = await readNotes(join(former, key)).catch(() => undefined);
    // One without notes is no claim of a known folder; any work folder quarantines it.
    const work = folders.find(({ id }) => notes === undefined || id === notes.folder)?.work;
    if (work === undefined) continue;
    await rename(join(former, key), join(work, key));
    await syncFolder(work);
    app.log.warn({ dir: former }, `the claim ${key} was moved into the work folder "${work}"`);
  }
}

/** Claims have the id of their file for a name, with an ending while they are removed. */
function listClaimed(work: string) {
  return listFolder(work, (key) => FILE_ID.test(key.replace(/\..*$/, '')));
}

type FormerWork = { is: 'empty' } | { is: 'unreadable' } | { is: 'claims'; claims: number };

async function lookInto(work: string): Promise<FormerWork> {
  try {
    const claims = (await listClaimed(work)).length + (await listRetired(work)).length;
    return claims === 0 ? { is: 'empty' } : { is: 'claims', claims };
  } catch {
    return { is: 'unreadable' };
  }
}

/** A former work folder in which claims lie, or which cannot be read. */
export type FormerWorkTrouble = { path: string; why: string; next: string };

/** Returns what keeps claims in former work folders of this site. A process at another site cannot see them. */
export async function findFormerWork(ledger: Ledger, settings: Here): Promise<FormerWorkTrouble[]> {
  const troubles: FormerWorkTrouble[] = [];
  const [present = 'the present work folder'] = presentWorks(settings);
  for (const path of await formerWorks(ledger, settings)) {
    const found = await lookInto(path);
    if (found.is === 'claims')
      troubles.push({
        path,
        why: `${counted(found.claims, 'claim')} in "${path}", which no folder in paydrop.yaml uses as its work folder any more`,
        next: `The next start or sweep moves what belongs to a folder of paydrop.yaml. Stop paydrop and move the rest into "${present}", or set folders[].work back.`,
      });
    if (found.is === 'unreadable')
      troubles.push({
        path,
        why: `"${path}" was a work folder, and it is missing or cannot be read: claims may lie in it`,
        next: 'Connect its drive or put it back. If nothing was in it, make an empty folder there until the next sweep.',
      });
  }
  return troubles;
}
