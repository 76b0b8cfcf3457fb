import { randomInt } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { readBackup } from '../../../src/ledger/backup/read-backup.ts';
import { restoreBackup } from '../../../src/ledger/backup/restore-backup.ts';
import { frameHead, MARK, writeBackup } from '../../../src/ledger/backup/write-backup.ts';
import { type Ledger, openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { readVersions } from '../../../src/ledger/profile/read-profiles.ts';
import { putConfirmed, putDraft } from '../support/put-version.ts';
import { expectFound, makeBackup, useBackupFolder } from '../admission/support/hosts.ts';
import { claimOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.ts';

const folder = useBackupFolder();
let place: TestPostgres;
let file: FileRow;
const open: Ledger[] = [];
const clock = handClock(START);

beforeAll(async () => {
  place = await startTestPostgres({ schema: 'empty' });
  const world = await openTestLedger();
  file = await world.accepted({ batches: 2, withheld: 1, name: 'tab\tback\\slash.csv' });
  await world.sending();
  await writeBackup(world.ledger, folder.file('a'));
  await world.close();
});
afterEach(async () => {
  for (const ledger of open.splice(0)) await ledger.close();
});
afterAll(() => place.stop());

const restore = (options: { replace?: boolean; path?: string } = {}) =>
  restoreBackup({ url: place.url }, options.path ?? folder.file('a'), {
    clock,
    log: silentLog(),
    actor: 'operator:ada',
    replace: options.replace ?? false,
  });

async function openPlace(): Promise<Ledger> {
  const ledger = await openLedger({ url: place.url }, { clock, log: silentLog() });
  open.push(ledger);
  return ledger;
}

describe('restoreBackup', () => {
  it('numbers the calls on behind those that it brings back', async () => {
    await restore();
    const ledger = await openPlace();
    const { rows } = await ledger.pool.query<{ last: number; next: number }>(
      `SELECT (SELECT max(call_no) FROM attempt) AS last, nextval('call_no') AS next`,
    );
    expect(rows[0]!.next).toBe(rows[0]!.last + 1);
    await ledger.pool.query('DROP SCHEMA paydrop CASCADE');
  });

  it('brings back the versions of a profile, which file is read with which, and their next number', async () => {
    const world = await openTestLedger();
    await putConfirmed(world.ledger, 'dues', 'one');
    await putConfirmed(world.ledger, 'dues', 'two');
    const { name } = await world.claimed({ profile: 'dues' });
    await writeBackup(world.ledger, folder.file('profiles'));
    await world.close();
    await restore({ path: folder.file('profiles') });
    const ledger = await openPlace();
    const [second, first] = await readVersions(ledger, 'dues');
    expect([first!.state, second!.state, second!.replaces]).toEqual(['retired', 'confirmed', first!.profile_no]);
    expect(await findFile(ledger, name)).toMatchObject({ profile_version: second!.profile_no });
    expect(await putDraft(ledger, 'dues', 'three')).toMatchObject({ version: 3 });
    await ledger.pool.query('DROP SCHEMA paydrop CASCADE');
  });

  it('brings back every row, so that a backup of it has the same tables', async () => {
    await restore();
    const ledger = await openPlace();
    const again = await writeBackup(ledger, folder.file('again'));
    const sumsOf = async (name: string) => {
      const { tables } = await readBackup(folder.file(name));
      return tables.filter(({ table }) => !['admission', 'audit', 'audit_chain'].includes(table));
    };
    expect(again.rows).toBeGreaterThan(20);
    expect(await sumsOf('again')).toEqual(await sumsOf('a'));
    expect(file).toMatchObject(await findFile(ledger, file.name));
  });

  it('leaves an audit chain that is whole and says where it went back', async () => {
    const ledger = await openPlace();
    expect((await verifyAudit(ledger)).brokenAt).toBeUndefined();
    const { rows } = await ledger.pool.query('SELECT actor, move, reason FROM audit ORDER BY seq DESC LIMIT 1');
    expect(rows).toEqual([
      { actor: 'operator:ada', move: 'restore-ledger', reason: `restored from a backup of ${START}` },
    ]);
  });

  it('goes on with numbers that nobody has', async () => {
    const ledger = await openPlace();
    const claim = claimOf();
    await claimForTest(ledger, claim);
    expect((await readFileRow(ledger, claim.fileId)).file_no).toBe(file.file_no + 2);
  });

  it('has every trigger at work again', async () => {
    const ledger = await openPlace();
    await expect(ledger.pool.query('UPDATE payment_row SET invoice = $1', ['x'])).rejects.toMatchObject({
      code: 'PD002',
    });
    await expect(ledger.pool.query(`UPDATE batch SET state = 'reconciled'`)).rejects.toMatchObject({ code: 'PD001' });
    await expect(ledger.pool.query('DELETE FROM audit')).rejects.toMatchObject({ code: 'PD002' });
  });

  it('refuses while anybody works with the ledger, also to replace it', async () => {
    await openPlace();
    await expect(restore({ replace: true })).rejects.toMatchObject({ code: 'LEDGER_IN_USE' });
  });

  it('refuses a ledger that holds files, and keeps it aside with --replace', async () => {
    await expect(restore()).rejects.toMatchObject({ code: 'LEDGER_NOT_EMPTY' });
    const { keptAs } = await restore({ replace: true });
    expect(keptAs).toBe('paydrop_before_20260615100000000');
    const ledger = await openPlace();
    const { rows } = await ledger.pool.query(
      `SELECT (SELECT count(*)::int FROM ${keptAs}.file) AS before, (SELECT count(*)::int FROM file) AS now`,
    );
    expect(rows).toEqual([{ before: 3, now: 2 }]);
  });

  it('changes nothing when the file is broken, or of a newer version', async () => {
    const bytes = await readFile(folder.file('a'));
    await writeFile(folder.file('cut'), bytes.subarray(0, bytes.length - 200));
    await expect(restore({ path: folder.file('cut'), replace: true })).rejects.toMatchObject({ code: 'BACKUP_BROKEN' });
    const head = Buffer.from(JSON.stringify({ format: 1, madeAt: START, migrations: ['9999-later.sql'], tables: [] }));
    await writeFile(folder.file('newer'), Buffer.concat([MARK, frameHead('H', head.length), head]));
    await expect(restore({ path: folder.file('newer'), replace: true })).rejects.toMatchObject({
      code: 'BACKUP_NEWER',
    });
    const ledger = await openPlace();
    expect((await readFileRow(ledger, file.file_id)).file_no).toBe(file.file_no);
  });
});

describe('readBackup', () => {
  it('finds an altered byte wherever it is, every third of them in each run', async () => {
    const whole = await makeBackup(folder);
    for (let at = randomInt(3); at < whole.length; at += 3) await expectFound(folder, whole, at);
  }, 900_000);
});
