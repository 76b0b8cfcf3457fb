import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { readAdmission } from '../../../src/ledger/admission/read-admission.ts';
import { restoreBackup } from '../../../src/ledger/backup/restore-backup.ts';
import { writeBackup } from '../../../src/ledger/backup/write-backup.ts';
import { cancelBatch } from '../../../src/ledger/file/cancel-file.ts';
import { type Ledger, openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { readForgottenSends } from '../../../src/ledger/account/read-holds.ts';
import { verifyAudit } from '../../../src/ledger/file/search.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { START } from '../../support/ledger-world.ts';
import { openHosts } from '../admission/support/hosts.ts';
import { useBackupFolder } from './support/backup-folder.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

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
    await hosts.world.force(`UPDATE attempt SET verdict = 'not_sent' WHERE file_id = '${unsent}'`);
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
    expect(await verifyAudit(ledger)).toBeUndefined();
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
