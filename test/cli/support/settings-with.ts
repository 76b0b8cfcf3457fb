import { FolderConfig } from '../../../schemas/config.ts';
import type { Settings } from '../../../src/config/config.ts';

/** Settings with one folder or none. */
export function settingsWith(folder?: Partial<FolderConfig> & { path: string }): Pick<Settings, 'folders'> {
  if (!folder) return { folders: [] };
  const parsed = FolderConfig.parse({ account: 'main', operation: 'ach-charge', ...folder });
  return { folders: [{ ...parsed, id: folder.path, work: 'work', routingCheck: parsed.routingCheck ?? false }] };
}
