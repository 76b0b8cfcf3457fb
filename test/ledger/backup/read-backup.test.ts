import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameHead, MARK } from '../../../src/ledger/backup/backup-frame.ts';
import { readBackup } from '../../../src/ledger/backup/read-backup.ts';
import { writeBackup } from '../../../src/ledger/backup/write-backup.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openBackupFolder } from './support/backup-folder.ts';

let folder: Awaited<ReturnType<typeof openBackupFolder>>;
let whole: Buffer;
beforeAll(async () => {
  folder = await openBackupFolder();
  const world = await openTestLedger();
  await world.accepted({ rowsPerBatch: 5 });
  await writeBackup(world.ledger, folder.file('whole'));
  await world.close();
  whole = await readFile(folder.file('whole'));
});
afterAll(() => folder.remove());

async function read(bytes: Buffer) {
  await writeFile(folder.file('other'), bytes);
  return readBackup(folder.file('other'));
}

const BROKEN = expect.objectContaining({ code: 'BACKUP_BROKEN' });

/** Mark, length and the names of all migrations and tables. */
const HEAD_BYTES = 1_500;

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

  it('finds every altered byte', async () => {
    // Every byte of the head; in turn all would take minutes, and a step that is a prime comes to all parts of a frame.
    for (let at = 0; at < whole.length; at += at < HEAD_BYTES ? 1 : 101) {
      const altered = Buffer.from(whole);
      altered[at]! ^= 1;
      await expect(read(altered), `byte ${at}`).rejects.toMatchObject({
        code: expect.stringMatching(/^BACKUP_(BROKEN|NEWER)$/),
      });
    }
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
