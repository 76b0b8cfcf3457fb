import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { OpenPgpConfig } from '../../../schemas/config.ts';
import { isMessageName } from '../../files/message-name.ts';
import { systemClock } from '../../kernel/clock.ts';
import { readPiecesNow } from '../../kernel/read-pieces.ts';
import { checkMessage, type MessageFault } from '../../pgp/check-message.ts';
import { openKeys } from '../../pgp/open-keys.ts';
import { openMessage } from '../../pgp/open-message.ts';

/** What `openDrop` needs of the configuration. */
export type DropRules = {
  readonly folder: { readonly encryption: 'required' | 'optional' };
  readonly openpgp: { readonly account: string; readonly config: OpenPgpConfig } | undefined;
  readonly maxBytes: number | undefined;
};

/** Reader of an open file's rows as bytes; each piece is overwritten by the next. */
export type OpenedDrop = {
  readonly contentOf: (file: FileHandle) => AsyncIterable<Uint8Array>;
};

/**
 * Determines how a file would arrive: as plain rows, or as a message, which is read once to its end.
 * @throws PipelineError PGP_KEY
 */
export async function openDrop(
  path: string,
  { folder, openpgp, maxBytes = Number.MAX_SAFE_INTEGER }: DropRules,
): Promise<OpenedDrop | MessageFault> {
  if (!isMessageName(path))
    return folder.encryption === 'required' ? { code: 'PGP_PLAIN' } : { contentOf: (file) => readPiecesNow(file.fd) };
  if (!openpgp) return { code: 'PGP_NO_KEY' };
  const keys = await openKeys(openpgp.config, openpgp.account);
  const message = await checkMessage(createReadStream(path), keys, { at: systemClock.now(), maxBytes });
  return 'code' in message
    ? message
    : { contentOf: (file) => openMessage(file.createReadStream({ autoClose: false }), message.key) };
}
