import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBackup } from '../../../src/ledger/backup/read-backup.ts';
import { upTo } from '../../support/payment-rows.ts';
import { expectFound, makeBackup } from './support/altered-backup.ts';
import { type BackupFolder, openBackupFolder } from './support/backup-folder.ts';
import { frameHead, MARK } from '../../../src/ledger/backup/write-backup.ts';

let folder: BackupFolder;
let whole: Buffer;
beforeAll(async () => {
  folder = await openBackupFolder();
  whole = await makeBackup(folder);
});
afterAll(() => folder.remove());

async function read(bytes: Buffer) {
  await writeFile(folder.file('other'), bytes);
  return readBackup(folder.file('other'));
}

const BROKEN = expect.objectContaining({ code: 'BACKUP_BROKEN' });

/** The mark, the length of the head, and its beginning. */
const FIRST_BYTES = 40;
const STEP = 211;

function placesFrom(first: number, step: number): number[] {
  return Array.from({ length: Math.ceil((whole.length - first) / step) }, (_, index) => first + index * step);
}

describe('readBackup', () => {
  it('gives head and tables in their order', async () => {
    const seen: string[] = [];
    await readBackup(folder.file('whole'), {
      head: async (head) => void seen.push(head.migrations[0]!),
      table: async ({ table }, rows) => {
        let bytes = 0;
        for await (const chunk of rows) bytes += chunk.length;
        if (bytes > 0) seen.push(table);
      },
    });
    expect(seen[0]).toBe('0001-ledger.sql');
    expect(seen).toEqual(expect.arrayContaining(['file', 'payment_row', 'batch', 'audit']));
  });

  it('finds an altered byte wherever it is', async () => {
    // A prime step reaches all parts of a frame, and each run starts elsewhere. The soak test alters every byte.
    const begin = randomInt(STEP);
    const places = [...upTo(FIRST_BYTES).map((n) => n - 1), ...placesFrom(FIRST_BYTES + begin, STEP)];
    for (const at of places) await expectFound(folder, whole, at);
  });

  it('finds that it was cut, wherever that is, and that something was added', async () => {
    for (const length of [0, 3, 8, 20, whole.length >> 1, whole.length - 1])
      await expect(read(whole.subarray(0, length)), `${length} bytes`).rejects.toEqual(BROKEN);
    await expect(read(Buffer.concat([whole, Buffer.from('x')]))).rejects.toEqual(BROKEN);
    expect(await read(whole)).toMatchObject({ bytes: expect.any(Number) });
  });

  it('does not believe a length that would take all memory', async () => {
    await expect(read(Buffer.concat([MARK, frameHead('H', 0xffff_ffff)]))).rejects.toThrow('a length in it');
  });

  it.each([
    ['another kind of file', Buffer.from('%PDF-1.7 and so on'), 'BACKUP_BROKEN'],
    ['a newer form', headed({ format: 2 }), 'BACKUP_NEWER'],
    ['a head that is no JSON', Buffer.concat([MARK, frameHead('H', 1), Buffer.from('{')]), 'BACKUP_BROKEN'],
    ['no head', Buffer.concat([MARK, frameHead('E', 2), Buffer.from('{}')]), 'BACKUP_BROKEN'],
    ['a table that its head does not name', headed({ format: 1, migrations: [], tables: ['a'] }, 'T'), 'BACKUP_BROKEN'],
  ])('refuses %s', async (_, bytes, code) => {
    await expect(read(bytes)).rejects.toMatchObject({ code });
  });

  it('says when there is no such file', async () => {
    await expect(readBackup(folder.file('absent'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

function headed(head: object, next?: 'T'): Buffer {
  const bytes = Buffer.from(JSON.stringify(head));
  const rest = next ? [frameHead(next, 13), Buffer.from('{"table":"b"}')] : [];
  return Buffer.concat([MARK, frameHead('H', bytes.length), bytes, ...rest]);
}
