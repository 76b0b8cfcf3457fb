import { Readable } from 'node:stream';
import { PipelineError } from '../kernel/errors.ts';
import { loadOpenPgp, STREAMED } from './load-openpgp.ts';
import { readMessage } from './read-message.ts';
import { type SessionKey, toLibrary } from './session-key.ts';

/**
 * What is inside a message that `checkMessage` has found good before. Nothing is checked here again but that it is whole.
 * Destroying the stream closes the source.
 * @param source the same bytes as then; its own errors are passed on
 */
export function openMessage(source: Readable, key: SessionKey): Readable {
  const content = Readable.from(decryptPieces(source, key), { objectMode: false });
  content.once('close', () => source.destroy());
  return content;
}

async function* decryptPieces(source: Readable, key: SessionKey): AsyncGenerator<Uint8Array> {
  try {
    yield* await decryptWith(source, key);
  } catch (error) {
    if (source.errored) throw source.errored;
    throw new PipelineError('SEAL_BROKEN', 'open an encrypted file again', 'it opened when it was taken', {
      cause: error,
    });
  }
}

async function decryptWith(source: Readable, key: SessionKey): Promise<AsyncIterable<Uint8Array>> {
  const { decrypt } = await loadOpenPgp();
  const message = await readMessage(source);
  const { data } = await decrypt({ message, sessionKeys: toLibrary(key), format: 'binary', config: STREAMED });
  return data;
}
