import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareBatch } from '../../src/ledger/moves/prepare-batch.ts';
import { deliverFile } from '../../workers/deliver.ts';
import { submitBatch } from '../../workers/submit.ts';
import { compareJournal, longestCallMs, sweep } from '../../workers/sweep.ts';
import { answering } from './support/scripted-gateway.ts';
import { openStepWorld, type StepWorld } from './support/step-world.ts';
import { jobIds, jobsAddedBy, loseQueue, query, readStop, storyOf } from './support/story.ts';
import { takeInCharges } from './support/take-in.ts';

/** What may have been sent is never sent again by the sweep, and what was not is. */

let world: StepWorld;
beforeAll(async () => {
  world = await openStepWorld({ accounts: 12 });
});
afterAll(() => world.close());

const TAKEN = { kind: 'submitted', batchId: '1', text: 'taken' } as const;

describe('sweep, when a worker is gone', () => {
  it('leaves alone what a living worker holds', async () => {
    const key = { fileId: await takeInCharges(world.app, world.freshAccount(), 2), batchNo: 1 };
    const batch = await prepareBatch(world.app.ledger, key, 60_000);
    expect(batch).toBeDefined();
    await sweep(world.app);
    expect((await storyOf(world.app, key)).state).toBe('preparing');
  });

  it('takes back what a living worker has held for longer than its lease, and asks for it', async () => {
    const key = { fileId: await takeInCharges(world.app, world.freshAccount(), 2), batchNo: 1 };
    await loseQueue(world.app);
    await prepareBatch(world.app.ledger, key, 0);
    expect(await jobsAddedBy(world.app, key.fileId, () => sweep(world.app))).toEqual(['deliver', 'submit-1']);
    expect(await storyOf(world.app, key)).toMatchObject({ state: 'ready', moves: ['prepare', 'release'] });
  });

  it('doubts a call that has gone on for longer than any call can, and asks for nothing', async () => {
    const key = { fileId: await takeInCharges(world.app, world.freshAccount(), 4), batchNo: 1 };
    await deliverFile(world.app, key);
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    const scripted = answering(world.app, { ...TAKEN, batchId: 'late' });
    const gateway = scripted.app.gateway('');
    const slow: typeof gateway.submitBatch = async (call) => {
      const said = await gateway.submitBatch(call);
      await held;
      return said;
    };
    const submitting = submitBatch({ ...scripted.app, gateway: () => ({ ...gateway, submitBatch: slow }) }, key);
    await expect.poll(async () => (await storyOf(world.app, key)).state, { interval: 10 }).toBe('sending');
    await loseQueue(world.app);

    await sweep(world.app);
    expect((await storyOf(world.app, key)).state).toBe('sending');
    await query(
      world.app,
      `UPDATE batch SET lease_until = clock_timestamp() - $2 * interval '1 millisecond' WHERE file_id = $1`,
      [key.fileId, longestCallMs(world.app)],
    );
    await sweep(world.app);
    expect(await storyOf(world.app, key)).toMatchObject({
      state: 'unknown',
      attempts: [{ attempt: 1, verdict: 'unknown' }],
      maySend: false,
    });
    expect(await jobIds(world.app, key.fileId)).toEqual(new Set());

    answer();
    await submitting;
    expect(await storyOf(world.app, key)).toMatchObject({ state: 'unknown', batchId: null, maySend: false });
  });
});

describe('compareJournal', () => {
  it('finds nothing to say while journal and ledger agree', async () => {
    const account = world.freshAccount();
    const key = { fileId: await takeInCharges(world.app, account, 2), batchNo: 1 };
    await submitBatch(answering(world.app, { ...TAKEN, batchId: 'agreed' }).app, key);
    await compareJournal(world.app);
    expect(await readStop(world.app, account)).toBeUndefined();
  });

  it('stops the account whose sends an older ledger has forgotten, and no other; nothing is sent again', async () => {
    const [forgetful, other] = [world.freshAccount(), world.freshAccount()];
    const keys = [];
    for (const account of [forgetful, other]) {
      const key = { fileId: await takeInCharges(world.app, account, 4), batchNo: 1 };
      await submitBatch(answering(world.app, { ...TAKEN, batchId: `sent-${account}` }).app, key);
      keys.push(key);
    }
    await restoreOlderLedger(keys[0]!.fileId);
    await compareJournal(world.app);
    await compareJournal(world.app);
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
    await compareJournal(world.app);
    expect(await readStop(world.app, account)).toContain('2026-06-15T12:00:00.000Z');
  });
});

/** The attempt is gone and the batch is ready, as in a backup that was made before it was sent. */
async function restoreOlderLedger(fileId: string): Promise<void> {
  await query(world.app, 'DELETE FROM attempt WHERE file_id = $1', [fileId]);
  await query(world.app, 'ALTER TABLE batch DISABLE TRIGGER legal_batch_moves');
  await query(world.app, `UPDATE batch SET state = 'ready', batch_id = NULL WHERE file_id = $1`, [fileId]);
  await query(world.app, 'ALTER TABLE batch ENABLE TRIGGER legal_batch_moves');
}
