import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Of, sha256OfFile } from '../../src/kernel/hash.ts';

/** From FIPS 180-2, and for the empty message. */
const KNOWN = [
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
] as const;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-hash-'));
});

afterEach(() => rm(folder, { recursive: true }));

describe('sha256Of', () => {
  it.each(KNOWN)('of %j is %s', (text, hex) => {
    expect(sha256Of(text)).toBe(hex);
    expect(sha256Of(Buffer.from(text))).toBe(hex);
  });

  it('reads text as UTF-8', () => {
    expect(sha256Of('é€')).toBe(sha256Of(Buffer.from([0xc3, 0xa9, 0xe2, 0x82, 0xac])));
  });
});

describe('sha256OfFile', () => {
  it.each(['', 'abc', 'long '.repeat(100_000)])('is the hash of the bytes, however many (case %#)', async (text) => {
    const path = join(folder, 'bytes');
    await writeFile(path, text);
    expect(await sha256OfFile(path)).toBe(sha256Of(text));
  });

  it('differs when one bit does', async () => {
    const bytes = Buffer.alloc(200_000, 7);
    const path = join(folder, 'bytes');
    const before = sha256Of(bytes);
    bytes[150_000]! ^= 1;
    await writeFile(path, bytes);
    expect(await sha256OfFile(path)).not.toBe(before);
  });

  it('fails for a file that is not there', async () => {
    await expect(sha256OfFile(join(folder, 'gone'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
