import type { App } from '../src/app.ts';
import type { Folder } from '../src/config/config.ts';
import { PipelineError } from '../src/kernel/errors.ts';

/**
 * Returns the drop folder that a file came from. Without its settings the file cannot be read, so it waits.
 * @throws PipelineError NOT_FOUND
 */
export function folderOf(app: App, folderId: string, fileId: string): Folder {
  const folder = app.folder(folderId);
  if (folder) return folder;
  const reason = `folder "${folderId}" is not in the configuration any more`;
  const next = 'Put the folder back into paydrop.yaml; the file waits in the work folder.';
  throw new PipelineError('NOT_FOUND', `take in file "${fileId}"`, reason, { next });
}
