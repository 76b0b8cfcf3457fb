import { format, inspect } from 'node:util';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { deriveKey, frameParts, secretBytes } from '../../src/crypto/derive-key.ts';
import { decryptGcm, encryptGcm, TAG_BYTES } from '../../src/crypto/aes-gcm.ts';
import { hashSecretToken, maskToken, newSecretToken, unmaskToken } from '../../src/crypto/secret-token.ts';
import { newFileId } from '../../src/kernel/ids.ts';
import { type ArchiveEntry, listSealed, listSealedInSlices } from '../../src/crypto/list-sealed.ts';

const KEY = Buffer.alloc(32, 7);

describe('deriveKey', () => {
  it('gives the same 32 bytes for the same key, use and salt', () => {
    expect(deriveKey(KEY, ['a'], Buffer.from('s'))).toHaveLength(32);
    expect(deriveKey(KEY, ['a'], Buffer.from('s'))).toEqual(deriveKey(KEY, ['a'], Buffer.from('s')));
  });

  it('stays as it is, so that what was sealed by an older release still opens', () => {
    expect(deriveKey(KEY, ['wrap key']).toString('hex')).toBe(
      'e42f337fd5662e8824cd0d37c6034b7a6ea7899ebaf4bcbfee2562871c7b306e',
    );
  });

  it.each([
    ['another key', () => deriveKey(Buffer.alloc(32, 8), ['a', 'b'])],
    ['another use', () => deriveKey(KEY, ['a', 'c'])],
    ['a use cut elsewhere', () => deriveKey(KEY, ['ab'])],
    ['a salt', () => deriveKey(KEY, ['a', 'b'], Buffer.from('s'))],
  ])('gives other bytes for %s', (_, derive) => {
    expect(derive()).not.toEqual(deriveKey(KEY, ['a', 'b']));
  });
});

const BOX = { key: Buffer.alloc(32, 1), nonce: Buffer.alloc(12, 2), bound: Buffer.from('for this') };

describe('encryptGcm and decryptGcm', () => {
  it('give back what was put in', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (plain) => {
        const sealed = encryptGcm(BOX, plain);
        expect(sealed).toHaveLength(plain.length + TAG_BYTES);
        expect(decryptGcm(BOX, sealed)).toEqual(Buffer.from(plain));
      }),
    );
  });

  it.each([65_535, 65_536, 65_537, 200_000])('give back %i bytes, behind a head', (size) => {
    const plain = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
    const sealed = encryptGcm(BOX, plain, Buffer.from('head'));
    expect(sealed.subarray(0, 4).toString()).toBe('head');
    expect(sealed.subarray(4).equals(encryptGcm(BOX, plain))).toBe(true);
    expect(decryptGcm(BOX, sealed.subarray(4))?.equals(plain)).toBe(true);
  });

  it('agree with the published test case 13 and 14 of AES-256-GCM', () => {
    const zeros = { key: Buffer.alloc(32), nonce: Buffer.alloc(12), bound: Buffer.alloc(0) };
    expect(encryptGcm(zeros, Buffer.alloc(0)).toString('hex')).toBe('530f8afbc74536b9a963b4f1c4cb738b');
    expect(encryptGcm(zeros, Buffer.alloc(16)).toString('hex')).toBe(
      'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919',
    );
  });

  it.each([
    ['another key', { ...BOX, key: Buffer.alloc(32, 9) }],
    ['another nonce', { ...BOX, nonce: Buffer.alloc(12, 9) }],
    ['other bound bytes', { ...BOX, bound: Buffer.from('for that') }],
  ])('give nothing with %s', (_, box) => {
    expect(decryptGcm(box, encryptGcm(BOX, Buffer.from('hello')))).toBeUndefined();
  });

  it('give nothing for less than a tag', () => {
    expect(decryptGcm(BOX, Buffer.alloc(TAG_BYTES - 1))).toBeUndefined();
    expect(decryptGcm(BOX, Buffer.alloc(0))).toBeUndefined();
  });
});

describe('frameParts', () => {
  it('leads every part by its length in bytes', () => {
    expect(frameParts(['a', 'é']).toString('hex')).toBe('000000016100000002c3a9');
  });

  it('gives different bytes for lists that join to the same text', () => {
    expect(frameParts(['a', 'bc'])).not.toEqual(frameParts(['ab', 'c']));
    expect(frameParts(['', 'a'])).not.toEqual(frameParts(['a', '']));
    expect(frameParts([''])).not.toEqual(frameParts([]));
  });

  it('gives bytes from which the parts can be read back, so none are lost or mixed', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (parts) => {
        expect(readParts(frameParts(parts))).toEqual(parts);
      }),
    );
  });
});

function readParts(framed: Buffer): string[] {
  const parts: string[] = [];
  for (let at = 0; at < framed.length; ) {
    const end = at + 4 + framed.readUInt32BE(at);
    parts.push(framed.toString('utf8', at + 4, end));
    at = end;
  }
  return parts;
}

describe('secretBytes', () => {
  const holder = () => ({ fileId: 'f', bytes: secretBytes(Buffer.from('0123456789abcdef')) });

  it.each([
    ['JSON', () => JSON.stringify(holder())],
    ['the console', () => inspect(holder(), { depth: 9 })],
    ['a formatted line', () => format('%o', holder())],
    ['a spread copy', () => JSON.stringify({ ...holder() })],
  ])('does not show in %s', (_, show) => {
    expect(show()).toContain('[hidden]');
    expect(show()).not.toMatch(/30 31 32|48,49,50|012345|"data"/);
  });

  it('leaves the bytes as they are', () => {
    const bytes = Buffer.from('0123456789abcdef');
    expect(secretBytes(bytes)).toBe(bytes);
    expect(bytes.toString('latin1')).toBe('0123456789abcdef');
  });
});

it('a token has 256 bits, is another each time, and its hash does not tell it', () => {
  const [one, other] = [newSecretToken(), newSecretToken()];
  expect(Buffer.from(one, 'base64url')).toHaveLength(32);
  expect(one).not.toBe(other);
  expect(hashSecretToken(one)).toEqual(hashSecretToken(one));
  expect(hashSecretToken(one)).not.toEqual(hashSecretToken(other));
  expect(hashSecretToken(one).toString('base64url')).not.toContain(one);
});

describe('list sealed', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'paydrop-archive-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function list(folder = root): Promise<ArchiveEntry[]> {
    const entries: ArchiveEntry[] = [];
    for await (const entry of listSealed(folder)) entries.push(entry);
    return entries;
  }

  describe('listSealed', () => {
    it('tells originals from drafts and from what is not ours, the newest day first', async () => {
      const [old, young] = [newFileId(), newFileId()];
      for (const [day, name] of [
        ['14', `${old}.sealed`],
        ['15', `${young}.sealed`],
        ['15', `.${young}.sealed.0123456789ab.part`],
        ['15', 'notes.txt'],
      ] as const) {
        await mkdir(join(root, '2026', '06', day), { recursive: true });
        await writeFile(join(root, '2026', '06', day, name), '');
      }
      const entries = await list();
      expect(entries.map(({ kind, fileId }) => `${kind} ${fileId}`).toSorted()).toEqual(
        [`draft ${young}`, `sealed ${old}`, `sealed ${young}`, 'strange '].toSorted(),
      );
      expect(entries.at(-1)).toEqual({ kind: 'sealed', fileId: old, path: join('2026', '06', '14', `${old}.sealed`) });
    });

    it('is empty where there is no archive', async () => {
      expect(await list(join(root, 'none'))).toEqual([]);
    });
  });

  describe('listSealedInSlices', () => {
    it('gives the originals alone, no more at once than are wanted', async () => {
      const originals = Array.from({ length: 5 }, () => newFileId());
      await mkdir(join(root, '2026'));
      for (const name of [...originals.map((id) => `${id}.sealed`), 'notes.txt'])
        await writeFile(join(root, '2026', name), '');
      const slices: string[][] = [];
      for await (const slice of listSealedInSlices(root, 2)) slices.push(slice.map(({ fileId }) => fileId));
      expect(slices.map((slice) => slice.length)).toEqual([2, 2, 1]);
      expect(slices.flat().toSorted()).toEqual(originals.toSorted());
    });
  });
});

describe('maskToken', () => {
  it('writes the same token differently each time, and gives it back', () => {
    const token = newSecretToken();
    const written = Array.from({ length: 20 }, () => maskToken(token));
    expect(new Set(written).size).toBe(20);
    expect(written.map(unmaskToken)).toEqual(written.map(() => token));
    // The letters of the token must not stand in the page in any order that compression could find.
    expect(written.filter((text) => text.includes(token.slice(0, 8)))).toEqual([]);
  });
});

describe('unmaskToken', () => {
  it('takes any text without failing, and never makes the token of a bare one', () => {
    const token = newSecretToken();
    expect(unmaskToken(token)).not.toBe(token);
    fc.assert(
      fc.property(fc.string(), (text) => unmaskToken(text) !== token),
      { numRuns: 200 },
    );
  });
});
