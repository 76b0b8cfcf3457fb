import { mkdir } from 'node:fs/promises';
import { checkSameFileSystem } from '../src/drop/check-same-file-system.ts';
import { foldersHere, type Settings } from '../src/kernel/config.ts';
import { PipelineError, systemCode } from '../src/kernel/errors.ts';

/**
 * Before anything starts: our own folders exist, the drop folders exist and lie on the file system of their work
 * folder, so that one rename can claim a drop. Those of other sites are not here.
 */
export async function checkFolders(settings: Settings): Promise<void> {
  const { paths } = settings;
  const folders = foldersHere(settings);
  if (folders.length === 0) throw noFolderHere(settings);
  const ours = [paths.data, paths.archive, paths.out, paths.quarantine, ...folders.map((folder) => folder.work)];
  for (const dir of new Set(ours)) await makeFolder(dir);
  for (const folder of folders) await checkSameFileSystem(folder.path, folder.work);
}

function noFolderHere({ folders, site }: Settings): PipelineError {
  const sites = [...new Set(folders.map((folder) => folder.site))].join(', ');
  return new PipelineError('CONFIG_INVALID', `work at site "${site}"`, 'no folder lies there', {
    next: `Set PAYDROP_SITE to one of ${sites}, or give this process only roles that need no folder.`,
  });
}

async function makeFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const action = `make the folder "${dir}"`;
    switch (systemCode(error)) {
      case 'ENOSPC':
        throw new PipelineError('DISK_FULL', action);
      case 'EEXIST':
      case 'ENOTDIR':
        throw new PipelineError('FOLDER_MISSING', action, 'a file stands in its place', {
          next: 'Move the file away.',
        });
      case undefined:
      default:
        throw new PipelineError('FOLDER_NOT_WRITABLE', action, undefined, { cause: error });
    }
  }
}
