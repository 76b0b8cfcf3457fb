import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBackup } from '../../../src/ledger/backup/read-backup.ts';
import { writeBackup } from '../../../src/ledger/backup/write-backup.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { openBackupFolder } from './support/backup-folder.ts';

let world: LedgerWorld;
let folder: Awaited<ReturnType<typeof openBackupFolder>>;
beforeAll(async () => {
  world = await openTestLedger();
  folder = await openBackupFolder();
});
afterAll(async () => {
  await folder?.remove();
  await world?.close();
});

describe('writeBackup', () => {
  it('writes a whole file for its owner only, and says what is in it', async () => {
    await world.accepted({ batches: 2, rowsPerBatch: 3 });
    const summary = await writeBackup(world.ledger, folder.file('a'));
    expect(summary.tables.find(({ table }) => table === 'payment_row')?.rows).toBe(6);
    expect(summary.madeAt).toBe(world.clock.now().toISOString());
    expect((await stat(folder.file('a'))).mode & 0o777).toBe(0o600);
    expect(await readBackup(folder.file('a'))).toEqual(summary);
  });

  it('never overwrites, and leaves nothing behind when it fails', async () => {
    await writeFile(folder.file('mine'), 'keep');
    await expect(writeBackup(world.ledger, folder.file('mine'))).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    await expect(writeBackup(world.ledger, folder.file('absent/a'))).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
    expect((await readdir(folder.path)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it.runIf(process.getuid?.() !== 0)('says that it may not write there', async () => {
    await chmod(folder.path, 0o500);
    await expect(writeBackup(world.ledger, folder.file('b'))).rejects.toMatchObject({ code: 'FOLDER_NOT_WRITABLE' });
    await chmod(folder.path, 0o700);
  });

  it('has one moment for all tables, whatever is written meanwhile', async () => {
    const before = (await writeBackup(world.ledger, folder.file('before'))).tables;
    const writing = writeBackup(world.ledger, folder.file('meanwhile'));
    const files = await Promise.all([1, 2, 3, 4].map(() => world.accepted()));
    const rowsOf = (tables: typeof before, name: string) => tables.find(({ table }) => table === name)!.rows;
    const { tables } = await writing;
    const added = rowsOf(tables, 'file') - rowsOf(before, 'file');
    expect(added).toBeLessThanOrEqual(files.length);
    // A file may be in it as merely claimed, without anything else; but rows never lack their batch.
    expect(rowsOf(tables, 'payment_row') - rowsOf(before, 'payment_row')).toBe(
      2 * (rowsOf(tables, 'batch') - rowsOf(before, 'batch')),
    );
  });
});
