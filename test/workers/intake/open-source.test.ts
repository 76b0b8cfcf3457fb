import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSessionKey } from '../../../src/pgp/load-openpgp.ts';
import { sealFile } from '../../../src/crypto/archive.ts';
import { sealBytes } from '../../../src/crypto/seal.ts';
import { type ContentSource, dataKeyOf, openSource } from '../../../workers/intake/open-source.ts';

const KEY = { fileId: 'abcd1234', bytes: Buffer.alloc(32, 4) };
const CONTENT = 'INV-1,A1,25.00,June\n'.repeat(20_000);

let folder: string;
let source: ContentSource;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-source-'));
  await writeFile(join(folder, 'plain'), CONTENT);
  source = {
    path: join(folder, 'sealed'),
    purpose: 'original',
    fileId: KEY.fileId,
    bytes: CONTENT.length,
    key: KEY.bytes,
    contentKey: null,
  };
  await sealFile({ from: join(folder, 'plain'), to: source.path, key: KEY, purpose: 'original' });
});
afterAll(() => rm(folder, { recursive: true }));

describe('openSource', () => {
  it('gives the original, also from a copy of what says where it is', async () => {
    expect(await text(openSource(structuredClone(source)))).toBe(CONTENT);
  });

  it.each([
    ['another key', { key: Buffer.alloc(32, 5) }],
    ['another purpose', { purpose: 'body:1' }],
    ['another file', { fileId: 'abcd1235' }],
  ])('gives nothing for %s', async (_what, changes) => {
    await expect(text(openSource({ ...source, ...changes }))).rejects.toMatchObject({ code: 'SEAL_BROKEN' });
  });

  it('opens the key of a message only if it was sealed for this file', () => {
    const sealed = sealBytes(KEY, 'content key', writeSessionKey({ algorithm: null, data: Buffer.alloc(16) }));
    const contentKey = { sealed, purpose: 'another' };
    expect(() => openSource({ ...source, contentKey })).toThrow(expect.objectContaining({ code: 'SEAL_BROKEN' }));
  });
});

it('dataKeyOf hides the key where it is printed', () => {
  const key = dataKeyOf(structuredClone(source));
  expect(key.bytes.equals(KEY.bytes)).toBe(true);
  expect(inspect(key) + JSON.stringify(key)).not.toMatch(/04 04|4,4/);
});
