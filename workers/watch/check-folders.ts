import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { checkSameFileSystem } from '../../src/files/check-same-file-system.ts';
import { dataPaths, type Folder, foldersHere, type Settings } from '../../src/config/config.ts';
import { findPathFaults, liesInside } from '../../src/config/config-faults.ts';
import { explainPath, PipelineError, systemCode } from '../../src/kernel/errors.ts';
import { makeFolders } from '../../src/kernel/folders.ts';
import type { App } from '../../src/app.ts';

/**
 * Creates paydrop's own folders and checks the drop folders before anything starts. Those of other sites are not here.
 */
export async function checkFolders(settings: Settings): Promise<void> {
  const { paths } = settings;
  const folders = foldersHere(settings);
  if (folders.length === 0) throw noFolderHere(settings);
  const ours = [paths.data, paths.archive, paths.out, paths.quarantine, ...folders.map((folder) => folder.work)];
  for (const dir of new Set(ours)) await makeFolder(dir);
  await checkPlaces(settings);
}

/**
 * Checks what a start refuses of the places of folders, and creates none: each drop folder must be on the file system of
 * its work folder, so that one rename can claim a drop, and no link may make two places one. "paydrop doctor" calls it
 * too. A folder that is still to be made counts as the place where it will be.
 * @throws PipelineError
 */
export async function checkPlaces(settings: Settings): Promise<void> {
  const { paths } = settings;
  const folders = foldersHere(settings);
  if (folders.length === 0) throw noFolderHere(settings);
  for (const folder of folders) await checkSameFileSystem(folder.path, await findNearest(folder.work));
  await checkLinks(paths, folders);
  await checkRealPaths(paths, folders);
}

/** Returns a folder, or the nearest one above it that exists. */
async function findNearest(path: string): Promise<string> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : findNearest(dirname(path));
}

/** Returns where a path leads, also of a folder that does not exist yet. */
async function realPlace(path: string): Promise<string> {
  const nearest = await findNearest(path);
  return join(await realpath(nearest), relative(nearest, path));
}

/**
 * Checks where links lead, as `findConfigFaults` checks the written paths. A link must not make paydrop's output a
 * drop, nor one drop folder part of another.
 */
async function checkLinks({ out, quarantine, data }: Settings['paths'], folders: readonly Folder[]): Promise<void> {
  const ours = await Promise.all([out, quarantine, data].map(async (path) => ({ path, real: await realPlace(path) })));
  const drops = await Promise.all(folders.map(async ({ path }) => ({ path, real: await realPlace(path) })));
  for (const [index, drop] of drops.entries()) {
    const others = drops.filter((_other, place) => place !== index);
    const other =
      [...ours, ...others].find(({ real }) => liesInside(real, drop.real)) ??
      ours.find(({ real }) => liesInside(drop.real, real));
    if (!other) continue;
    const reason = `it and "${other.path}" are the same folder, or one contains the other`;
    throw new PipelineError('CONFIG_INVALID', `use the drop folder "${drop.path}"`, reason, LOOK_AT_LINKS);
  }
}

async function checkRealPaths(paths: Settings['paths'], folders: readonly Folder[]): Promise<void> {
  const [out, quarantine, data] = await Promise.all(
    [paths.out, paths.quarantine, paths.data].map((path) => realPlace(path)),
  );
  const real = { ...paths, out: out!, quarantine: quarantine!, data: data!, ...dataPaths(data!) };
  const drops = await Promise.all(
    folders.map(async (folder) => ({
      ...folder,
      path: await realPlace(folder.path),
      work: await realPlace(folder.work),
    })),
  );
  const [fault] = findPathFaults({ paths: real, folders: drops });
  if (!fault) return;
  throw new PipelineError(
    'CONFIG_INVALID',
    `use ${fault.path}`,
    `after following links, ${fault.reason}`,
    LOOK_AT_LINKS,
  );
}

const LOOK_AT_LINKS = { next: 'Check where the links in these paths lead, and give each folder its own place.' };

function noFolderHere({ folders, site }: Settings): PipelineError {
  const sites = [...new Set(folders.map((folder) => folder.site))].join(', ');
  return new PipelineError('CONFIG_INVALID', `work at site "${site}"`, 'no folder belongs to it', {
    next: `Set PAYDROP_SITE to one of ${sites}, or give this process only roles that need no folder.`,
  });
}

async function makeFolder(dir: string): Promise<void> {
  try {
    await makeFolders(dir, 0o700);
  } catch (error) {
    const action = `make the folder "${dir}"`;
    switch (systemCode(error)) {
      case 'ENOSPC':
        throw new PipelineError('DISK_FULL', action);
      case 'EEXIST':
        throw new PipelineError('FOLDER_MISSING', action, 'a file has its name', {
          next: 'Move the file away.',
        });
      case undefined:
      default: {
        const path = explainPath(systemCode(error));
        if (path) throw new PipelineError('FOLDER_MISSING', action, path.reason, { next: path.next });
        throw new PipelineError('FOLDER_NOT_WRITABLE', action, undefined, { cause: error });
      }
    }
  }
}

/**
 * Checks at start that the OpenPGP keys for this site's folders open. Otherwise the first encrypted file would show it,
 * at night.
 * @throws PipelineError PGP_KEY
 */
export async function checkKeys(app: App): Promise<void> {
  for (const account of new Set(foldersHere(app.settings).map((folder) => folder.account)))
    await app.openPgpKeys(account);
}
