import type { Settings } from '../config/config.ts';
import { nextSendAt } from '../calendar/send-window.ts';
import type { FileStory } from './read-story.ts';

/** Returns when a file that waits for its account's window is sent next; undefined when it does not wait for that. */
export function nextSendOf(
  { file, batches }: Pick<FileStory, 'file' | 'batches'>,
  { accounts }: Pick<Settings, 'accounts'>,
  now: Date,
): Date | undefined {
  const account = accounts.get(file.account);
  const isWanted = file.state === 'accepted' || file.state === 'in_progress';
  if (!account || !isWanted || !batches.some((batch) => batch.state === 'ready')) return undefined;
  const at = nextSendAt(account, now);
  return at === now ? undefined : at;
}
