import { Readable } from 'node:stream';
import { PipelineError } from '../kernel/errors.ts';
import { loadOpenPgp, readMessage, type SessionKey, STREAMED, toLibrary } from './load-openpgp.ts';
import { STALL_MS, watchForStall } from './watch-for-stall.ts';

/**
 * Returns the content of a message that `checkMessage` found good earlier. It checks again only that the message is
 * complete. Destroying the stream closes the source.
 * @param source the same bytes as then; its own errors are passed on
 */
export function openMessage(source: Readable, key: SessionKey, stallMs = STALL_MS): Readable {
  const content = Readable.from(decryptPieces(source, key, stallMs), { objectMode: false });
  content.once('close', () => source.destroy());
  return content;
}

async function* decryptPieces(source: Readable, key: SessionKey, stallMs: number): AsyncGenerator<Uint8Array> {
  const stall = watchForStall(source, stallMs);
  let content: AsyncIterator<Uint8Array> | undefined;
  try {
    content = (await stall.within(decryptWith(stall.pieces, key)))[Symbol.asyncIterator]();
    for (;;) {
      const next = await stall.within(content.next());
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    if (source.errored) throw source.errored;
    throw new PipelineError('SEAL_BROKEN', 'open an encrypted file again', 'it could be opened when it was taken', {
      cause: error,
    });
  } finally {
    // Not awaited: a decryption that hangs would hang here too.
    content?.return?.().catch(() => {});
  }
}

async function decryptWith(source: AsyncIterable<Uint8Array>, key: SessionKey): Promise<AsyncIterable<Uint8Array>> {
  const { decrypt } = await loadOpenPgp();
  const message = await readMessage(source);
  const { data } = await decrypt({ message, sessionKeys: toLibrary(key), format: 'binary', config: STREAMED });
  return data;
}
