import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archivePath, destroySealedFile, openSealedFile, sealFile } from '../../src/crypto/archive.ts';
import type { DataKey } from '../../src/crypto/data-key.ts';

const FILE = '0123456789abcdef';
const KEY: DataKey = { fileId: FILE, bytes: Buffer.alloc(32, 1) };
const PURPOSE = 'original';
const CLAIMED_AT = new Date('2026-06-15T23:30:00Z');
const ROW = 'INV-7,4222222222222220,25.00\r\n';

let root = '';
let from = '';
let to = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-archive-'));
  from = join(root, 'monday.csv');
  to = archivePath(join(root, 'archive'), FILE, CLAIMED_AT);
  await writeFile(from, ROW);
});
afterEach(() => rm(root, { recursive: true }));

describe('archivePath', () => {
  it.each([
    ['2026-06-15T00:00:00Z', '2026/06/15'],
    ['2026-06-15T23:59:59.999Z', '2026/06/15'],
    ['2026-06-15T23:30:00-05:00', '2026/06/16'],
    ['2026-01-01T00:30:00+02:00', '2025/12/31'],
  ])('places %s under the UTC day %s', (claimedAt, day) => {
    expect(archivePath('/a', FILE, new Date(claimedAt))).toBe(`/a/${day}/${FILE}.sealed`);
  });

  it.each(['', '../../etc/passwd', '0123456789abcde/', 'monday.csv', '4222222222222220x'])(
    'refuses what is no file id, without repeating it: %j',
    (fileId) => {
      const place = () => archivePath('/a', fileId, CLAIMED_AT);
      expect(place).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
      if (fileId !== '') expect(place).not.toThrow(fileId);
    },
  );
});

describe('sealFile', () => {
  it.each([0, 1, 65_535, 65_536, 65_537, 3 * 1024 * 1024 + 5])(
    'seals %i bytes and tells hash and length',
    async (length) => {
      const plain = randomBytes(length);
      await writeFile(from, plain);
      const sealed = await sealFile({ from, to, key: KEY, purpose: PURPOSE });
      expect(sealed).toEqual({ sha256: createHash('sha256').update(plain).digest('hex'), bytes: length });
      expect((await buffer(openSealedFile(to, KEY, PURPOSE))).equals(plain)).toBe(true);
    },
  );

  it('leaves no plain bytes, no draft and no rights for others', async () => {
    await sealFile({ from, to, key: KEY, purpose: PURPOSE });
    expect((await readFile(to)).includes('4222222222222220')).toBe(false);
    expect(await readdir(dirname(to))).toEqual([`${FILE}.sealed`]);
    expect((await stat(to)).mode & 0o777).toBe(0o600);
    for (const folder of ['archive', 'archive/2026', 'archive/2026/06', 'archive/2026/06/15']) {
      expect((await stat(join(root, folder))).mode & 0o777, folder).toBe(0o700);
    }
  });

  it('leaves the source as it is', async () => {
    await sealFile({ from, to, key: KEY, purpose: PURPOSE });
    expect(await readFile(from, 'utf8')).toBe(ROW);
  });

  it('reads an open file from its first byte, wherever it stands, and leaves it open', async () => {
    const handle = await open(from);
    await handle.read(Buffer.alloc(5), 0, 5);
    const sealed = await sealFile({ from: handle, to, key: KEY, purpose: PURPOSE });
    expect(sealed.bytes).toBe(ROW.length);
    expect((await handle.stat()).size).toBe(ROW.length);
    await handle.close();
  });

  it.each(['', 'anything'])('never replaces what is there: %j', async (before) => {
    await mkdir(dirname(to), { recursive: true });
    await writeFile(to, before);
    await expect(sealFile({ from, to, key: KEY, purpose: PURPOSE })).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    expect(await readFile(to, 'utf8')).toBe(before);
    expect(await readdir(dirname(to))).toEqual([`${FILE}.sealed`]);
  });

  it('lets one of two at once win, complete', async () => {
    const both = [0, 1].map(() => sealFile({ from, to, key: KEY, purpose: PURPOSE }));
    const ends = await Promise.allSettled(both);
    expect(ends.map((end) => end.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await buffer(openSealedFile(to, KEY, PURPOSE))).toString()).toBe(ROW);
  });

  it('leaves nothing behind when reading fails', async () => {
    const handle = await open(from);
    await handle.close();
    await expect(sealFile({ from: handle, to, key: KEY, purpose: PURPOSE })).rejects.toThrow();
    expect(await readdir(dirname(to))).toEqual([]);
  });

  it('refuses a link and does not tell the name of the source', async () => {
    const alias = join(root, '4222222222222220.csv');
    await symlink(from, alias);
    const sealing = sealFile({ from: alias, to, key: KEY, purpose: PURPOSE });
    await expect(sealing).rejects.toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('ELOOP') });
    await expect(sealing).rejects.toMatchObject({ message: expect.not.stringContaining('4222222222222220') });
  });

  it('says so when the source is gone', async () => {
    await rm(from);
    await expect(sealFile({ from, to, key: KEY, purpose: PURPOSE })).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('ENOENT'),
    });
  });

  it('says so when the source may not be read', async () => {
    const sealing = await asStranger(from, () =>
      sealFile({ from, to, key: KEY, purpose: PURPOSE }).catch((error) => error),
    );
    expect(sealing).toMatchObject({ code: 'DROP_UNREADABLE', message: expect.not.stringContaining('monday') });
  });

  it('says of a file in the place of the archive what to do', async () => {
    await writeFile(join(root, 'archive'), '');
    await expect(sealFile({ from, to, key: KEY, purpose: PURPOSE })).rejects.toMatchObject({
      code: 'FOLDER_MISSING',
      message: expect.stringContaining('a file has its name. Move the file away.'),
    });
  });

  it.each(['ENOSPC', 'EDQUOT'])('calls %s a full disk and leaves nothing behind', async (code) => {
    const { writeSync } = fs;
    const refuse = () => {
      throw Object.assign(new Error('no room'), { code });
    };
    try {
      Object.assign(fs, { writeSync: refuse });
      syncBuiltinESMExports();
      await expect(sealFile({ from, to, key: KEY, purpose: PURPOSE })).rejects.toMatchObject({ code: 'DISK_FULL' });
    } finally {
      Object.assign(fs, { writeSync });
      syncBuiltinESMExports();
    }
    expect(await readdir(dirname(to))).toEqual([]);
  });

  it('reads to the end of a file that grew since it was opened', async () => {
    const handle = await open(from);
    await writeFile(from, ROW.repeat(5000));
    const sealed = await sealFile({ from: handle, to, key: KEY, purpose: PURPOSE });
    await handle.close();
    expect(sealed.bytes).toBe(ROW.length * 5000);
  });

  it('keeps the rights that folders have already', async () => {
    await mkdir(dirname(to), { recursive: true });
    await chmod(dirname(to), 0o750);
    await sealFile({ from, to, key: KEY, purpose: PURPOSE });
    expect((await stat(dirname(to))).mode & 0o777).toBe(0o750);
  });
});

describe('openSealedFile', () => {
  it('fails as the stream does when the file was cut', async () => {
    await writeFile(from, randomBytes(200_000));
    await sealFile({ from, to, key: KEY, purpose: PURPOSE });
    await truncate(to, 150_000);
    await expect(buffer(openSealedFile(to, KEY, PURPOSE))).rejects.toMatchObject({ code: 'SEAL_BROKEN' });
  });

  it('says where it is to be put back when there is no file', async () => {
    await expect(buffer(openSealedFile(to, KEY, PURPOSE))).rejects.toMatchObject({
      code: 'SEAL_BROKEN',
      message: expect.stringMatching(/: it is not in the archive\. Restore it from a copy of the archive/),
    });
  });

  it.each<[string, DataKey, string]>([
    ['another purpose', KEY, 'result'],
    ['another key', { ...KEY, bytes: Buffer.alloc(32, 2) }, PURPOSE],
  ])('refuses %s', async (_, key, purpose) => {
    await sealFile({ from, to, key: KEY, purpose: PURPOSE });
    await expect(buffer(openSealedFile(to, key, purpose))).rejects.toMatchObject({ code: 'SEAL_BROKEN' });
  });

  it('closes the file when the reader gives up', async () => {
    await writeFile(from, randomBytes(2_000_000));
    await sealFile({ from, to, key: KEY, purpose: PURPOSE });
    const before = await countOpen(to);
    const plain = openSealedFile(to, KEY, PURPOSE);
    await once(plain, 'readable');
    expect(await countOpen(to)).toBe(before + 1);
    plain.destroy();
    await once(plain, 'close');
    await expect.poll(() => countOpen(to)).toBe(before);
  });
});

describe('destroySealedFile', () => {
  it('removes the file and what an interrupted sealing left, and nothing else', async () => {
    await sealFile({ from, to, key: KEY, purpose: PURPOSE });
    await link(to, join(dirname(to), `.${FILE}.sealed.0011aabb.part`));
    const neighbour = archivePath(join(root, 'archive'), '1123456789abcdef', CLAIMED_AT);
    await sealFile({ from, to: neighbour, key: KEY, purpose: PURPOSE });
    await destroySealedFile(to);
    expect(await readdir(dirname(to))).toEqual(['1123456789abcdef.sealed']);
  });

  it('may be repeated, also when the folder never was', async () => {
    await sealFile({ from, to, key: KEY, purpose: PURPOSE });
    await destroySealedFile(to);
    await expect(destroySealedFile(to)).resolves.toBeUndefined();
    await expect(destroySealedFile(join(root, 'absent', 'x.sealed'))).resolves.toBeUndefined();
  });

  it('says so when the folder cannot be read', async () => {
    await expect(destroySealedFile(join(from, 'x.sealed'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});

/** Runs an action without the right to read the file. Root has every right, so it switches to another user. */
async function asStranger<Result>(path: string, action: () => Promise<Result>): Promise<Result> {
  await chmod(path, 0);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await action();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

/** Counts the open descriptors of this process for a file. */
async function countOpen(path: string): Promise<number> {
  const { ino } = await stat(path);
  const opened = await Promise.all(
    (await readdir('/dev/fd')).map((fd) => stat(`/dev/fd/${fd}`).catch(() => undefined)),
  );
  return opened.filter((file) => file?.ino === ino).length;
}
