import { Readable } from 'node:stream';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { inflateWhole, loadOpenPgp, STREAMED } from '../../src/pgp/load-openpgp.ts';
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

const CONTENT = Buffer.concat([randomBytes(100_000), Buffer.alloc(100_000, 'rows\n')]);

async function inflate(bytes: Uint8Array, format: 'zip' | 'zlib', pieceBytes: number): Promise<Buffer> {
  const read: Uint8Array[] = [];
  for await (const piece of inflateWhole(inPieces(bytes, pieceBytes), format)) read.push(piece);
  return Buffer.concat(read);
}

describe.each([
  ['zip', deflateRawSync(CONTENT)],
  ['zlib', deflateSync(CONTENT)],
] as const)('inflateWhole: %s', (format, bytes) => {
  it.each([999, 65_536, 10_000_000])('gives what was compressed, in pieces of %i bytes', async (pieceBytes) => {
    expect((await inflate(bytes, format, pieceBytes)).equals(CONTENT)).toBe(true);
  });

  it.each([
    ['a byte', Buffer.from([0])],
    ['as much once more', bytes],
    ['rows', Buffer.from('a,b\n')],
  ])('refuses what has %s behind its end', async (_what, more) => {
    for (const pieceBytes of [bytes.length, 4_096, 10_000_000])
      await expect(inflate(Buffer.concat([bytes, more]), format, pieceBytes)).rejects.toThrow(/behind the end/);
  });

  it('refuses what is cut', async () => {
    for (const length of [0, 1, bytes.length - 1])
      await expect(inflate(bytes.subarray(0, length), format, 999)).rejects.toThrow(/unexpected end/);
  });

  it('closes its source when it is left early', async () => {
    const source = inPieces(bytes, 999);
    for await (const piece of inflateWhole(source, format)) if (piece.length > 0) break;
    expect(source.destroyed).toBe(true);
  });
});
