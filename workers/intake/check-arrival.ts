import type { FaultCode } from '../../schemas/errors.ts';
import type { App } from '../../src/app.ts';
import type { Folder } from '../../src/config/config.ts';
import { readClaim } from '../../src/files/claims/find-claims.ts';
import { isMessageName } from '../../src/files/file-names.ts';
import { sha256OfFile } from '../../src/kernel/hash.ts';
import { isResubmission } from '../../src/ledger/row/resubmissions.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { checkMessage, type CheckedMessage, type MessageFault } from '../../src/pgp/check-message.ts';
import { describeExcess } from './decide-intake.ts';
import type { Refusal } from './find-duplicate.ts';
import { openOriginal, sealContentKey } from '../open-original.ts';

/** How a file arrived: plain, as a message verified to its last byte, or in a form that is refused. */
export type Arrival =
  | { is: 'plain' }
  | { is: 'message'; message: Omit<CheckedMessage, 'key'>; contentKey: Buffer }
  | { is: 'refused'; code: FaultCode; detail?: string };

/**
 * Finds out whether a file is encrypted and may be read. It reads a message to its end before any row: until then the
 * decrypted bytes are not genuine.
 * @throws PipelineError PGP_KEY when paydrop's own keys are the trouble; the file then waits
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

/**
 * Accepts a plain file if the folder does, or a resubmission, whose rows arrived encrypted and never left this host.
 */
async function checkPlain(app: App, file: FileRow, { encryption }: Folder): Promise<Arrival> {
  if (encryption === 'optional' || (await isResubmission(app.ledger, file.file_id))) return { is: 'plain' };
  return refuse({ code: 'PGP_PLAIN' });
}

function refuse(fault: MessageFault): Arrival {
  return { is: 'refused', ...fault };
}

/**
 * Returns why a file is refused without being read.
 * @param duplicate why its bytes are refused, if they came before
 */
export function findRefusal(
  { file, folder, arrival }: { file: FileRow; folder: Folder; arrival: Arrival },
  duplicate: Refusal | undefined,
): Refusal | undefined {
  if (duplicate) return duplicate;
  const excess = describeExcess(file.bytes, folder.maxBytes);
  if (excess !== undefined) return { code: 'FILE_TOO_LARGE', detail: excess };
  if (arrival.is !== 'refused') return undefined;
  const { is: _is, ...refusal } = arrival;
  return refusal;
}

/** Returns the SHA-256 of what is inside an encrypted file; undefined for others. */
export function insideOf(arrival: Arrival): string | undefined {
  return arrival.is === 'message' ? arrival.message.sha256 : undefined;
}

/** Returns whether size or time of the claimed file differ from those that settled. */
export async function isDisturbed({ work }: Folder, { file_id: fileId }: FileRow): Promise<boolean> {
  return (await readClaim(work, fileId))?.changed ?? false;
}

/** Returns whether the claimed file differs from what was sealed: its sender had not finished (control total H1). */
export async function wasChanged(folder: Folder, file: FileRow): Promise<boolean> {
  const claim = await readClaim(folder.work, file.file_id);
  if (!claim) return false;
  return claim.changed || (await sha256OfFile(claim.path)) !== file.sha256;
}
