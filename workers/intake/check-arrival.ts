import type { FaultCode } from '../../schemas/errors.ts';
import type { App } from '../../src/app.ts';
import type { Folder } from '../../src/config/config.ts';
import { isMessageName } from '../../src/files/message-name.ts';
import { isResubmission } from '../../src/ledger/row/resubmissions.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { checkMessage, type CheckedMessage, type MessageFault } from '../../src/pgp/check-message.ts';
import { describeExcess } from './decide-intake.ts';
import { sealContentKey } from './open-content.ts';
import { openOriginal } from '../open-original.ts';

/** How a file came: as it is, as a message that was found good to its last byte, or in a way that is not taken. */
export type Arrival =
  | { is: 'plain' }
  | { is: 'message'; message: Omit<CheckedMessage, 'key'>; contentKey: Buffer }
  | { is: 'refused'; code: FaultCode; detail?: string };

/**
 * Finds out whether a file came encrypted and may be read. A message is read here once to its end, before the first
 * of its rows is: what is decrypted is not genuine until then.
 * @throws PipelineError PGP_KEY when our own keys are the trouble; the file then waits
 */
export async function checkArrival(app: App, file: FileRow, folder: Folder): Promise<Arrival> {
  if (!isMessageName(file.name)) return checkPlain(app, file, folder);
  const excess = describeExcess(file.bytes, folder.maxBytes);
  if (excess !== undefined) return refuse({ code: 'FILE_TOO_LARGE', detail: excess });
  const keys = await app.openPgpKeys(file.account);
  if (!keys) return refuse({ code: 'PGP_NO_KEY' });
  const checked = await checkMessage(openOriginal(app, file), keys, { at: file.claimed_at, maxBytes: folder.maxBytes });
  if ('code' in checked) return refuse(checked);
  const { key, ...message } = checked;
  return { is: 'message', message, contentKey: sealContentKey(app, file, key) };
}

/** What we drop ourselves has rows that came encrypted, and did not leave this host. */
async function checkPlain(app: App, file: FileRow, { encryption }: Folder): Promise<Arrival> {
  if (encryption === 'optional' || (await isResubmission(app.ledger, file.file_id))) return { is: 'plain' };
  return refuse({ code: 'PGP_PLAIN' });
}

function refuse(fault: MessageFault): Arrival {
  return { is: 'refused', ...fault };
}
