import type { App } from '../../app.ts';
import type { Folder } from '../../config/config.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import { findWaitingUpload } from '../../ledger/transfer/read-upload.ts';

/**
 * Says who dropped the same bytes, and when, while they still wait in a folder; otherwise null. No other check sees
 * them there, and a folder with a schedule may keep them for days.
 */
export async function describeWaiting(
  app: Pick<App, 'ledger' | 'account'>,
  { account }: Pick<Folder, 'account'>,
  sha256: string,
): Promise<string | null> {
  const found = await findWaitingUpload(app.ledger, account, sha256);
  if (!found) return null;
  const who = found.actor.replace(/^operator:/, '');
  const when = formatInZone(found.at, app.account(account).timeZone);
  return `${who} dropped the same bytes as "${found.name}" at ${when}, and they are not taken yet. Of two, one is refused.`;
}
