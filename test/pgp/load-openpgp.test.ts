import { Readable } from 'node:stream';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { loadOpenPgp, STREAMED } from '../../src/pgp/load-openpgp.ts';
import { inPieces } from '../support/openpgp.ts';

it('loadOpenPgp gives the library, whose own setting is not to stream', async () => {
  const { config } = await loadOpenPgp();
  expect(config.allowUnauthenticatedStream).toBe(false);
  expect(config.allowUnauthenticatedMessages).toBe(false);
  expect(Object.keys(STREAMED)).toEqual(['allowUnauthenticatedStream']);
});

const LITERAL = Buffer.concat([Buffer.from([0xcb, 10]), Buffer.from('b\0\0\0\0\0rows')]);

it.each([
  [1, deflateRawSync(LITERAL)],
  [2, deflateSync(LITERAL)],
])(
  'loadOpenPgp gives a library that reads compressed data to its last byte: algorithm %i',
  async (algorithm, bytes) => {
    expect(await readCompressed(algorithm, bytes)).toBe('rows');
    await expect(readCompressed(algorithm, Buffer.concat([bytes, bytes]))).rejects.toThrow(/behind the end/);
  },
);

/** Reads a packet without a length, as GnuPG writes it: everything that follows belongs to it. */
async function readCompressed(algorithm: number, bytes: Uint8Array): Promise<string> {
  const { readMessage, verify } = await loadOpenPgp();
  const packet = Readable.toWeb(inPieces(Buffer.concat([Buffer.from([0xa3, algorithm]), bytes]))) as never;
  const message = await readMessage({ binaryMessage: packet, config: STREAMED });
  const { data } = await verify({ message, verificationKeys: [], format: 'binary', config: STREAMED });
  const read: Uint8Array[] = [];
  for await (const piece of data as unknown as AsyncIterable<Uint8Array>) read.push(piece);
  return Buffer.concat(read).toString();
}
