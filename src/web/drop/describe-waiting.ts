import type { App } from '../../app.ts';
import type { Folder } from '../../config/config.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import { findWaitingUpload } from '../../ledger/transfer/read-upload.ts';

/**
 * Who dropped the same bytes and when, while they still lie in a folder; null when nobody did. No other comparison finds
 * them there, and a folder of a schedule may keep them for days.
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
