import { randomInt } from 'node:crypto';
import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { readBackup, readKeyNeeds } from '../../../src/ledger/backup/read-backup.ts';
import {
  countRows,
  frameHead,
  MARK,
  readTables,
  summaryOf,
  writeBackup,
} from '../../../src/ledger/backup/write-backup.ts';
import { expectFound, makeBackup, openHosts, useBackupFolder } from '../admission/support/hosts.ts';
import { upTo } from '../../support/payment-rows.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { readAdmission } from '../../../src/ledger/admission/read-admission.ts';
import { restoreBackup } from '../../../src/ledger/backup/restore-backup.ts';
import { cancelBatch } from '../../../src/ledger/file/cancel-file.ts';
import { type Ledger, openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { readForgottenSends } from '../../../src/ledger/account/read-holds.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';

describe('write backup', () => {
  const world = openedForTests(openTestLedger);
  const folder = useBackupFolder();

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
      await expect(writeBackup(world.ledger, folder.file('absent/a'))).rejects.toMatchObject({
        code: 'FOLDER_MISSING',
      });
      expect((await readdir(folder.file(''))).filter((name) => name.endsWith('.part'))).toEqual([]);
    });

    it.runIf(process.getuid?.() !== 0)('says that it may not write there', async () => {
      await chmod(folder.file(''), 0o500);
      await expect(writeBackup(world.ledger, folder.file('b'))).rejects.toMatchObject({ code: 'FOLDER_NOT_WRITABLE' });
      await chmod(folder.file(''), 0o700);
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

  describe('readKeyNeeds', () => {
    const wrapped = (id: string) => `\\\\x50444b31${id}${'0'.repeat(120)}`;
    const tables: [table: string, columns: string[], text: string][] = [
      ['file_secret', ['file_id', 'wrapped_key'], `a\t${wrapped('00000002')}\nb\t${wrapped('00000001')}\n`],
      ['vault_key', ['name', 'wrapped'], `fingerprint\t${wrapped('00000001')}\n`],
      ['batch', ['file_id'], 'a\n'],
    ];

    it.each([1, 1_000])('names the master keys of a backup and what they open, in pieces of %i bytes', async (size) => {
      const keys = readKeyNeeds();
      for (const [table, columns, text] of tables) {
        const bytes = Buffer.from(text);
        const pieces = upTo(Math.ceil(bytes.length / size)).map((n) => bytes.subarray((n - 1) * size, n * size));
        await keys.table({ table, columns }, Readable.from(pieces));
      }
      expect(keys.needs()).toEqual([
        { id: '00000001', files: 1, others: ['fingerprint'] },
        { id: '00000002', files: 1, others: [] },
      ]);
    });
  });

  describe('frameHead', () => {
    it('is the letter and the length, big-endian', () => {
      expect([...frameHead('D', 0x01020304)]).toEqual([68, 1, 2, 3, 4]);
    });
  });

  describe('countRows', () => {
    it.each([
      ['', 0],
      ['a\tb', 0],
      ['a\tb\n', 1],
      ['a\n\nb', 2],
    ])('%j has %i line feeds', (text, rows) => {
      expect(countRows(Buffer.from(text))).toBe(rows);
    });
  });

  describe('summaryOf', () => {
    it('adds the tables up and names the last migration', () => {
      const head = { format: 1 as const, madeAt: 'then', migrations: ['0001', '0002'], tables: ['a', 'b'] };
      const tables = [1, 2].map((rows) => ({ table: `t${rows}`, rows, bytes: 10, sha256: 'x' }));
      expect(summaryOf(head, tables, { bytes: 40, sha256: 'y' })).toMatchObject({
        migration: '0002',
        rows: 3,
        bytes: 40,
      });
    });
  });

  async function tablesOfLedger() {
    const client = await world.ledger.pool.connect();
    return readTables(client).finally(() => client.release());
  }

  it('readTables names every table with its columns, each behind those that it refers to', async () => {
    const tables = await tablesOfLedger();
    const { rows } = await world.ledger.pool.query(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'paydrop' ORDER BY tablename`,
    );
    const names = tables.map(({ table }) => table);
    expect([...names].sort()).toEqual(rows.map((row) => row.tablename));
    expect(names.indexOf('file')).toBeLessThan(names.indexOf('batch'));
    expect(names.indexOf('batch')).toBeLessThan(names.indexOf('sealed_part'));
    expect(names.indexOf('transaction_report')).toBeLessThan(names.indexOf('row_finding'));
    expect(tables.find(({ table }) => table === 'vault_key')?.columns).toEqual(['name', 'wrapped']);
  });

  it('readTables does not go on for ever when tables refer to each other', async () => {
    await world.ledger.pool.query(`CREATE TABLE a (x int PRIMARY KEY); CREATE TABLE b (x int PRIMARY KEY REFERENCES a);
    ALTER TABLE a ADD FOREIGN KEY (x) REFERENCES b`);
    await expect(tablesOfLedger()).rejects.toThrow('in a circle');
    await world.ledger.pool.query('DROP TABLE a, b CASCADE');
  });

  let whole: Buffer;
  beforeAll(async () => {
    whole = await makeBackup(folder);
  });

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
      expect(seen[0]).toBe('0.1.0');
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
      await expect(read(Buffer.concat([MARK, frameHead('H', 0xffff_ffff)]))).rejects.toThrow('an invalid length');
    });

    it.each([
      ['another kind of file', Buffer.from('%PDF-1.7 and so on'), 'BACKUP_BROKEN'],
      ['a newer form', headed({ format: 2 }), 'BACKUP_NEWER'],
      ['a head that is no JSON', Buffer.concat([MARK, frameHead('H', 1), Buffer.from('{')]), 'BACKUP_BROKEN'],
      ['no head', Buffer.concat([MARK, frameHead('E', 2), Buffer.from('{}')]), 'BACKUP_BROKEN'],
      [
        'a table that its head does not name',
        headed({ format: 1, migrations: [], tables: ['a'] }, 'T'),
        'BACKUP_BROKEN',
      ],
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
});

/** Two hosts send, a backup is made, and both send more. The backup is then restored where neither journal is. */
describe('a restored ledger', () => {
  const hosts = openedForTests(openHosts);
  const folder = useBackupFolder();
  let ledger: Ledger;
  let before: string;
  let waiting: FileRow;
  let after: string;
  let unsent: string;
  let restored: Awaited<ReturnType<typeof restoreBackup>>;

  beforeAll(async () => {
    const [a, b] = await hosts.enterBoth();
    before = await hosts.send('a', a);
    waiting = await hosts.world.accepted();
    await writeBackup(hosts.ledger, folder.file('backup'));
    await hosts.sendFile('a', a, waiting.file_id);
    after = await hosts.send('b', b);
    unsent = await hosts.send('b', b);
    await hosts.world.force(`UPDATE attempt SET verdict = 'not_sent', ended_at = now() WHERE file_id = '${unsent}'`);
    await hosts.ledger.close();
    const options = { clock: handClock(START), log: silentLog() };
    restored = await restoreBackup({ url: hosts.world.url }, folder.file('backup'), {
      ...options,
      actor: 'operator:ada',
      replace: true,
    });
    ledger = await openLedger({ url: hosts.world.url }, options);
  });
  afterAll(() => ledger.close());

  it('remembers what the other one sent, without any journal', async () => {
    const { rows } = await ledger.pool.query('SELECT file_id, state FROM batch ORDER BY file_id = $1', [
      waiting.file_id,
    ]);
    expect(rows).toEqual([
      { file_id: before, state: expect.not.stringMatching('unknown') },
      { file_id: waiting.file_id, state: 'unknown' },
    ]);
    const { rows: calls } = await ledger.pool.query('SELECT file_id FROM forgotten_send');
    expect(calls).toEqual([{ file_id: after }]);
    expect(restored.recalled.map(({ account }) => account).toSorted()).toHaveLength(2);
    expect(restored.recalled[0]!.reason).toContain('the ledger that was here before knows 1 call that');
    expect((await verifyAudit(ledger)).brokenAt).toBeUndefined();
  });

  it('lists the calls for which it has no batch, by their account', async () => {
    const { rows } = await ledger.pool.query<{ account: string }>('SELECT account FROM forgotten_send');
    expect(await readForgottenSends(ledger, rows[0]!.account)).toMatchObject([{ fileId: after, batchNo: 1 }]);
  });

  it('is closed until both hosts have reported', async () => {
    const { isOpen, waits } = await readAdmission(ledger);
    expect(isOpen).toBe(false);
    expect(waits).toEqual([expect.stringContaining('host a'), expect.stringContaining('host b')]);
    await expect(
      cancelBatch(ledger, { fileId: before, batchNo: 1 }, { actor: 'operator:ada', reason: 'a test' }),
    ).rejects.toMatchObject({ code: 'LEDGER_NOT_OPEN' });
  });

  it('leaves the other one closed, also under its old name', async () => {
    const { rows } = await ledger.pool.query(`SELECT is_open FROM ${restored.keptAs}.admission`);
    expect(rows).toEqual([{ is_open: false }]);
  });

  it('opens with a number that no journal has met', async () => {
    const { rows } = await ledger.pool.query<{ next: number; last: number }>(
      `SELECT a.closing_epoch AS next, b.epoch AS last FROM admission a, ${restored.keptAs}.admission b`,
    );
    expect(rows[0]!.next).toBeGreaterThan(rows[0]!.last);
  });
});
