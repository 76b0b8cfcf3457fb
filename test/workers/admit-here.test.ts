import { describe, expect, it } from 'vitest';
import { admitHere } from '../../workers/admit-here.ts';
import { readFailing } from '../../src/ledger/alarm/note-failure.ts';
import { submitBatch } from '../../workers/submit/submit.ts';
import { sweep } from '../../workers/upkeep/sweep.ts';
import { answering } from './support/scripted-gateway.ts';
import { stepWorld } from './support/step-world.ts';
import { readStop } from './support/story.ts';
import { forceSql } from '../support/force-sql.ts';

const world = stepWorld({ accounts: 6 });

const TAKEN = { kind: 'submitted', text: 'taken' } as const;

describe('admitHere', () => {
  it('finds nothing to say while journal and ledger agree', async () => {
    const account = world.freshAccount();
    const key = { fileId: await world.takeInCharges(account, 2), batchNo: 1 };
    await submitBatch(answering(world.app, { ...TAKEN, batchId: 'agreed' }).app, key);
    await admitHere(world.app);
    expect(await readStop(world.app, account)).toBeUndefined();
  });

  it('stops the account whose sends an older ledger has forgotten, and no other; nothing is sent again', async () => {
    const [forgetful, other] = [world.freshAccount(), world.freshAccount()];
    const keys = [];
    for (const account of [forgetful, other]) {
      const key = { fileId: await world.takeInCharges(account, 4), batchNo: 1 };
      await submitBatch(answering(world.app, { ...TAKEN, batchId: `sent-${account}` }).app, key);
      keys.push(key);
    }
    await restoreOlderLedger(keys[0]!.fileId);
    await admitHere(world.app);
    await admitHere(world.app);
    expect(await readStop(world.app, forgetful)).toMatch(/the send journal knows 1 call.* that the ledger does not/);
    expect(await readStop(world.app, other)).toBeUndefined();

    await sweep(world.app);
    const again = answering(world.app, { ...TAKEN, batchId: 'again' });
    await submitBatch(again.app, keys[0]!);
    expect(again.bodies).toEqual([]);
    await submitBatch(again.app, { ...keys[1]!, batchNo: 2 });
    expect(again.bodies).toHaveLength(1);
  });

  it('stops it for a file that the older ledger has never heard of', async () => {
    const account = world.freshAccount();
    await world.app.journal.append({
      at: '2026-06-15T12:00:00.000Z',
      account,
      fileId: 'zzzzzzzzzzzzzzzz',
      batchNo: 1,
      attempt: 1,
      sha256: 'a'.repeat(64),
    });
    await admitHere(world.app);
    expect(await readStop(world.app, account)).toContain('2026-06-15T12:00:00.000Z');
  });

  it('tells everybody of what keeps this host alone from sending, for as long as it lasts', async () => {
    const [{ senders, epoch }] = (await world.query('SELECT senders, epoch FROM admission')) as [
      { senders: string[]; epoch: number },
    ];
    await world.query(`UPDATE admission SET senders = '{elsewhere}', epoch = epoch + 1`);
    for (let tries = 0; tries < 3; tries += 1) await admitHere(world.app);
    const [failing] = await readFailing(world.app.ledger);
    expect(failing).toMatchObject({ work: 'admit', subject: world.app.settings.host, failures: 3 });
    expect(failing!.reason).toMatch(/is not among the senders: elsewhere\. List all of them as "senders"/);

    await world.query('UPDATE admission SET senders = $1, epoch = $2', [senders, epoch]);
    await admitHere(world.app);
    expect(await readFailing(world.app.ledger)).toEqual([]);
  });
});

/** Deletes the attempt and makes the batch ready, as in a backup from before the send. */
async function restoreOlderLedger(fileId: string): Promise<void> {
  await world.query('DELETE FROM attempt WHERE file_id = $1', [fileId]);
  await forceSql(world.app, `UPDATE batch SET state = 'ready', batch_id = NULL WHERE file_id = $1`, [fileId]);
}
