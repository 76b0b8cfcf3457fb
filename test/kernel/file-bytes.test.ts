import { mkdir, mkdtemp, open, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fs, { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPieces, readPiecesNow, SMALL_BYTES, writeWhole } from '../../src/kernel/file-bytes.ts';
import { expectReadWhole, LENGTHS, textOf } from './support/read-whole.ts';
import { sha256Of, sha256OfFile } from '../../src/kernel/hash.ts';
import { loadMasterKeys } from '../../src/crypto/master-key.ts';
import { freshFolder } from '../files/support/fresh-folder.ts';
import { makeFolders, syncFolder, syncFolderNow } from '../../src/kernel/folders.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-'));
});

afterAll(() => rm(folder, { recursive: true }));

describe('readPieces', () => {
  it.each(LENGTHS)('reads a file of %i bytes, whatever it was taken for', async (length) => {
    // With the smallest pieces each byte is a call, so file-bytes.soak.test.ts covers large files.
    const tooSmall = length < 1_000 ? [0, 50] : [1_000, SMALL_BYTES - 1];
    await expectReadWhole(join(folder, 'file'), length, [length, length - 1, ...tooSmall, 10 * length]);
  });

  it('begins at the first byte, wherever the file was read before', async () => {
    const path = join(folder, 'read');
    await writeFile(path, 'abc');
    const handle = await open(path);
    await handle.read(Buffer.alloc(2), 0, 2);
    for await (const piece of readPieces(handle.fd, 3)) expect(piece.toString()).toBe('abc');
    await handle.close();
  });
});

describe('readPiecesNow', () => {
  it.each([0, 1, SMALL_BYTES - 1, SMALL_BYTES, SMALL_BYTES + 1, 20 * SMALL_BYTES])(
    'reads a file of %i bytes',
    async (length) => {
      const content = textOf(length);
      const path = join(folder, 'now');
      await writeFile(path, content);
      const handle = await open(path);
      let text = '';
      for await (const piece of readPiecesNow(handle.fd)) text += piece.toString('latin1');
      await handle.close();
      expect(text).toBe(content);
    },
  );

  it('lets others of the process have their turn', async () => {
    const path = join(folder, 'long');
    await writeFile(path, Buffer.alloc(100 * SMALL_BYTES));
    const handle = await open(path);
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    for await (const piece of readPiecesNow(handle.fd)) expect(piece.length).toBe(SMALL_BYTES);
    clearImmediate(timer);
    await handle.close();
    expect(turns).toBeGreaterThan(3);
  });
});

/** From FIPS 180-2, and for the empty message. */
const KNOWN = [
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
] as const;

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

describe('makeFolders', () => {
  it('makes what is missing, with the rights asked for, and may be done again and by several at once', async () => {
    const folder = join(await freshFolder(), 'a', 'b');
    await Promise.all([makeFolders(folder, 0o700), makeFolders(folder, 0o700)]);
    await makeFolders(folder);
    for (const dir of [folder, join(folder, '..')]) expect((await stat(dir)).mode & 0o777).toBe(0o700);
    await makeFolders('/');
  });

  it.each([
    ['file', 'EEXIST'],
    ['file/below', 'ENOTDIR'],
    ['nowhere', 'EEXIST'],
  ])('fails where it cannot: %s', async (name, code) => {
    const root = await freshFolder();
    await writeFile(join(root, 'file'), '');
    await symlink(join(root, 'gone'), join(root, 'nowhere'));
    await expect(makeFolders(join(root, name))).rejects.toMatchObject({ code });
  });

  it.runIf(process.platform === 'linux')('does not try for ever where a link leads into the system', async () => {
    const root = await freshFolder();
    await mkdir(join(root, 'real'));
    await symlink('/proc', join(root, 'link'));
    await expect(makeFolders(join(root, 'link', 'x', 'y'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('syncFolder and syncFolderNow', () => {
  it('sync a folder that is there', async () => {
    await expect(syncFolder(folder)).resolves.toBeUndefined();
    expect(syncFolderNow(folder)).toBeUndefined();
  });

  it('say so when there is none, instead of promising what is not so', async () => {
    const absent = join(folder, 'absent');
    await expect(syncFolder(absent)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(() => syncFolderNow(absent)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  it.runIf(existsSync('/proc/self'))('differ on a file system that cannot sync folders', async () => {
    await expect(syncFolder('/proc/self')).resolves.toBeUndefined();
    expect(() => syncFolderNow('/proc/self')).toThrow('EINVAL');
  });
});

const SIZES = [0, 1, SMALL_BYTES, SMALL_BYTES + 1, 1_000_000];

async function writeAll(pieces: readonly Buffer[]): Promise<Buffer> {
  const path = join(folder, 'file');
  const handle = await open(path, 'w');
  for (const piece of pieces) await writeWhole(handle.fd, piece);
  await handle.close();
  return readFile(path);
}

describe('where the system is Windows', () => {
  it('is content with files that look open to all, and syncs no folders', async () => {
    const key = join(folder, 'master.key');
    await writeFile(key, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o666 });
    const keys = () => loadMasterKeys({ kind: 'file', path: key });
    expect(keys).toThrow('Run: chmod 600');
    const platform = Object.getOwnPropertyDescriptor(process, 'platform')!;
    try {
      Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
      expect(keys()).toHaveLength(1);
      await syncFolder(join(folder, 'none'));
      syncFolderNow(join(folder, 'none'));
    } finally {
      Object.defineProperty(process, 'platform', platform);
    }
    await expect(syncFolder(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('writeWhole', () => {
  it('writes pieces of any size one behind the other', async () => {
    const pieces = SIZES.map((size, index) => Buffer.alloc(size, 97 + index));
    expect((await writeAll(pieces)).equals(Buffer.concat(pieces))).toBe(true);
  });

  it('writes on where the disk has taken a part', async () => {
    const { writeSync } = fs;
    const byFive = (fd: number, bytes: Uint8Array, from: number) =>
      writeSync(fd, bytes, from, Math.min(5, bytes.length - from));
    try {
      Object.assign(fs, { writeSync: byFive });
      syncBuiltinESMExports();
      expect((await writeAll([Buffer.from('one, two, three')])).toString()).toBe('one, two, three');
    } finally {
      Object.assign(fs, { writeSync });
      syncBuiltinESMExports();
    }
  });

  it('fails when it is not open for writing', async () => {
    const handle = await open(folder, 'r');
    for (const size of [1, 100_000])
      await expect(writeWhole(handle.fd, Buffer.alloc(size))).rejects.toMatchObject({ code: 'EBADF' });
    await handle.close();
  });
});
