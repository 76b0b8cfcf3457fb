import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DataKey } from '../../src/crypto/data-key.ts';
import { CHUNK_BYTES, cutBlocks, openStream, sealStream } from '../../src/crypto/seal-stream.ts';

const KEY: DataKey = { fileId: '0123456789abcdef', bytes: Buffer.alloc(32, 1) };
const PURPOSE = 'original';
const HEADER_BYTES = 36;
const SEALED_CHUNK_BYTES = CHUNK_BYTES + 16;

describe('sealStream and openStream', () => {
  it.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES, 5 * 1024 * 1024 + 7])(
    'give back %i bytes',
    async (length) => {
      const plain = randomBytes(length);
      const sealed = await seal(plain);
      const chunks = Math.max(1, Math.ceil(length / CHUNK_BYTES));
      expect(sealed).toHaveLength(HEADER_BYTES + length + 16 * chunks);
      expect((await open(sealed)).plain.equals(plain)).toBe(true);
    },
  );

  it('give back any bytes, cut into any pieces on both ways', async () => {
    const somePieces = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(somePieces, fc.integer({ min: 1, max: 50 }), async (pieces, cut) => {
        const sealed = await wholeOf(sealStream(inPieces(pieces), KEY, PURPOSE));
        const opened = await open(sealed, cut);
        expect(opened).toEqual({ plain: Buffer.concat(pieces), error: undefined });
      }),
    );
  });

  it.each([1, 4096, CHUNK_BYTES, SEALED_CHUNK_BYTES, 200_000])(
    'open three chunks that come in pieces of %i',
    async (cut) => {
      const plain = randomBytes(2 * CHUNK_BYTES + 5);
      const opened = await open(await seal(plain), cut);
      expect(opened.error).toBeUndefined();
      expect(opened.plain.equals(plain)).toBe(true);
    },
  );

  it('show nothing of the plain bytes, and differ each time', async () => {
    const plain = Buffer.from('INV-7,4222222222222220,25.00\r\n'.repeat(5000));
    const sealed = await seal(plain);
    expect(sealed.includes('4222222222222220')).toBe(false);
    expect(sealed.includes('INV-7')).toBe(false);
    expect(sealed.subarray(HEADER_BYTES).equals((await seal(plain)).subarray(HEADER_BYTES))).toBe(false);
  });

  it('hold back one chunk at most, so that memory stays flat', async () => {
    let bytesIn = 0;
    let bytesOut = 0;
    let mostHeld = 0;
    async function* source(): AsyncGenerator<Buffer> {
      const piece = Buffer.alloc(20_000);
      for (let count = 0; count < 200; count += 1) {
        mostHeld = Math.max(mostHeld, bytesIn - bytesOut);
        bytesIn += piece.length;
        yield piece;
      }
    }
    for await (const sealed of sealStream(source(), KEY, PURPOSE)) bytesOut += sealed.length;
    expect(mostHeld).toBeLessThanOrEqual(CHUNK_BYTES);
    expect(bytesOut).toBeGreaterThan(bytesIn);
  });

  it('take pieces that are overwritten by the next ones', async () => {
    async function* again(letters: string): AsyncGenerator<Buffer> {
      const piece = Buffer.alloc(50_000);
      for (const letter of letters) yield piece.fill(letter);
    }
    const opened = await wholeOf(openStream(sealStream(again('abcd'), KEY, PURPOSE), KEY, PURPOSE));
    expect(opened.toString()).toBe([...'abcd'].map((letter) => letter.repeat(50_000)).join(''));
  });

  it('ask nothing of the source while nobody reads, and let it go', async () => {
    let asked = 0;
    let isOpen = true;
    async function* source(): AsyncGenerator<Buffer> {
      try {
        for (;;) {
          asked += 1;
          yield Buffer.alloc(CHUNK_BYTES);
        }
      } finally {
        isOpen = false;
      }
    }
    const opened = openStream(sealStream(source(), KEY, PURPOSE), KEY, PURPOSE);
    await opened.next();
    const askedAtRest = asked;
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toBe(askedAtRest);
    expect(asked).toBeLessThan(5);
    await opened.return(undefined);
    expect(isOpen).toBe(false);
  });
});

describe('openStream', () => {
  it('still opens what an older release sealed', async () => {
    const sealed =
      '50445331b5dfadc2dd1fc1536d1d41a4680980df9c1d89e17aefc09b2ddee405' +
      '404a62e09878a7d4da9f5a09e9951af60920b9a3a773c92c5842f8';
    expect(await open(Buffer.from(sealed, 'hex'))).toEqual({ plain: Buffer.from('paydrop'), error: undefined });
  });

  it.each<[string, DataKey, string]>([
    ['another purpose', KEY, 'result'],
    ['another key', { ...KEY, bytes: Buffer.alloc(32, 2) }, PURPOSE],
    ['another file id', { ...KEY, fileId: '0123456789abcdeg' }, PURPOSE],
  ])('refuses %s and passes nothing on', async (_, key, purpose) => {
    const sealed = await seal(Buffer.alloc(3 * CHUNK_BYTES));
    const opened = await collect(openStream(inPieces([sealed]), key, purpose));
    expect(opened).toEqual({ plain: Buffer.alloc(0), error: brokenSeal(purpose, key.fileId) });
  });

  it('refuses a small stream with any one byte changed, and passes nothing on', async () => {
    const sealed = await seal(Buffer.from('INV-7,4222222222222220,25.00\r\n'));
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = Buffer.from(sealed);
      altered[at] = (altered[at] ?? 0) ^ 0x80;
      expect(await open(altered), `byte ${at}`).toEqual({ plain: Buffer.alloc(0), error: brokenSeal() });
    }
  });

  it.each([0, 40])('refuses a small stream of %i bytes cut at any length, and passes nothing on', async (length) => {
    const sealed = await seal(Buffer.alloc(length, 'x'));
    for (let cut = 0; cut < sealed.length; cut += 1) {
      const opened = await open(sealed.subarray(0, cut));
      expect(opened, `length ${cut}`).toEqual({ plain: Buffer.alloc(0), error: brokenSeal() });
    }
  });

  it('passes on only the chunks before the one that was changed', async () => {
    const plain = randomBytes(3 * CHUNK_BYTES);
    const sealed = await seal(plain);
    const at = HEADER_BYTES + SEALED_CHUNK_BYTES + 100;
    sealed[at] = (sealed[at] ?? 0) ^ 1;
    const opened = await open(sealed, 10_000);
    expect(opened.error).toEqual(brokenSeal());
    expect(opened.plain.equals(plain.subarray(0, CHUNK_BYTES))).toBe(true);
  });

  it('refuses a stream cut between chunks or beside the border', async () => {
    const sealed = await seal(randomBytes(3 * CHUNK_BYTES));
    for (const chunk of [0, 1, 2]) {
      for (const beside of [-17, -16, -1, 0, 1, 16, 17]) {
        const cut = HEADER_BYTES + chunk * SEALED_CHUNK_BYTES + beside;
        expect((await open(sealed.subarray(0, cut))).error, `cut at ${cut}`).toEqual(brokenSeal());
      }
    }
  });

  it.each<[string, (chunks: Buffer[], other: Buffer[]) => (Buffer | undefined)[]]>([
    ['the first two chunks swapped', ([a, b, c, d]) => [b, a, c, d]],
    ['the last two chunks swapped', ([a, b, c, d]) => [a, b, d, c]],
    ['a chunk doubled', ([a, b, c, d]) => [a, b, b, c, d]],
    ['the last chunk doubled', ([a, b, c, d]) => [a, b, c, d, d]],
    ['a chunk left out', ([a, , c, d]) => [a, c, d]],
    ['the first chunk left out', ([, b, c, d]) => [b, c, d]],
    ['the last chunk left out', ([a, b, c]) => [a, b, c]],
    ['only the last chunk', ([, , , d]) => [d]],
    ['a byte added', (chunks) => [...chunks, Buffer.alloc(1)]],
    ['a tag of zeros added', (chunks) => [...chunks, Buffer.alloc(16)]],
    ['a whole chunk of zeros added', (chunks) => [...chunks, Buffer.alloc(SEALED_CHUNK_BYTES)]],
    ['a chunk of another stream in its place', ([a, , c, d], [, b]) => [a, b, c, d]],
    ['the last chunk of another stream', ([a, b, c], [, , , d]) => [a, b, c, d]],
    ['another stream behind it', (chunks, other) => [...chunks, ...other]],
  ])('refuses %s', async (_, rearrange) => {
    const plain = randomBytes(4 * CHUNK_BYTES);
    const sealed = await seal(plain);
    const other = await seal(plain);
    const rearranged = rearrange(chunksOf(sealed), chunksOf(other)).map((chunk) => chunk ?? Buffer.alloc(0));
    const altered = Buffer.concat([sealed.subarray(0, HEADER_BYTES), ...rearranged]);
    const opened = await open(altered);
    expect(opened.error).toEqual(brokenSeal());
    expect(plain.subarray(0, opened.plain.length).equals(opened.plain)).toBe(true);
  });

  it('refuses the header of one stream with the chunks of another', async () => {
    const one = await seal(Buffer.from('one'));
    const other = await seal(Buffer.from('two'));
    const mixed = Buffer.concat([one.subarray(0, HEADER_BYTES), other.subarray(HEADER_BYTES)]);
    expect(await open(mixed)).toEqual({ plain: Buffer.alloc(0), error: brokenSeal() });
  });
});

/** Splits the body of a sealed stream into its sealed chunks. */
function chunksOf(sealed: Buffer): Buffer[] {
  const body = sealed.subarray(HEADER_BYTES);
  const count = Math.ceil(body.length / SEALED_CHUNK_BYTES);
  return Array.from({ length: count }, (_, n) => body.subarray(n * SEALED_CHUNK_BYTES, (n + 1) * SEALED_CHUNK_BYTES));
}

function brokenSeal(purpose = PURPOSE, fileId = KEY.fileId): unknown {
  return expect.objectContaining({
    code: 'SEAL_BROKEN',
    message: expect.stringContaining(`Cannot open "${purpose}" of file "${fileId}"`),
  });
}

function seal(plain: Buffer): Promise<Buffer> {
  return wholeOf(sealStream(inPieces([plain]), KEY, PURPOSE));
}

async function* inPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function wholeOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

function open(sealed: Buffer, cut = sealed.length): Promise<{ plain: Buffer; error: unknown }> {
  const count = cut === 0 ? 0 : Math.ceil(sealed.length / cut);
  const pieces = Array.from({ length: count }, (_, n) => sealed.subarray(n * cut, (n + 1) * cut));
  return collect(openStream(inPieces(pieces), KEY, PURPOSE));
}

/** Returns everything a stream yields until it ends or fails, and its error. */
async function collect(stream: AsyncIterable<Buffer>): Promise<{ plain: Buffer; error: unknown }> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of stream) pieces.push(piece);
    return { plain: Buffer.concat(pieces), error: undefined };
  } catch (error) {
    return { plain: Buffer.concat(pieces), error };
  }
}

describe('cutBlocks', () => {
  it('gives full blocks while more is to come, and the rest at the end', () => {
    const someBytes = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), someBytes, (size, pieces) => {
        const all = Buffer.concat(pieces);
        const cutter = cutBlocks(size);
        const blocks = pieces.flatMap((piece) => Array.from(cutter.add(piece), (block) => Buffer.from(block)));
        expect(Buffer.concat([...blocks, cutter.rest()])).toEqual(all);
        expect(blocks.every((block) => block.length === size)).toBe(true);
        expect(cutter.rest().length > 0).toBe(all.length > 0);
      }),
    );
  });

  it.each([
    [0, 0, 0],
    [3, 0, 3],
    [4, 0, 4],
    [5, 1, 1],
    [8, 1, 4],
    [9, 2, 1],
  ])('keeps the latest block back: %i bytes in blocks of 4 give %i and keep %i', (length, given, kept) => {
    const cutter = cutBlocks(4);
    expect([...cutter.add(Buffer.alloc(length))]).toHaveLength(given);
    expect(cutter.rest()).toHaveLength(kept);
  });
});
