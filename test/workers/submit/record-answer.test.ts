import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { recoverBatches } from '../../../src/ledger/batch/recover-batches.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { longestCallMs } from '../../../workers/upkeep/sweep.ts';
import { beforeStatement, cutAtStatement, POWER_CUT } from '../support/failing-app.ts';
import { answering } from '../support/scripted-gateway.ts';
import { stepWorld } from '../support/step-world.ts';
import { query, readJournal, storyOf } from '../support/story.ts';
import { takeInCharges } from '../support/take-in.ts';

const world = stepWorld({ accounts: 6 });

const TAKEN = { kind: 'submitted', batchId: '8001', text: 'taken' } as const;
/** The update that ends an attempt, and nothing before it. */
const VERDICT = /UPDATE attempt SET ended_at/;

async function freshBatch(): Promise<BatchKey> {
  return { fileId: await takeInCharges(world.app, world.freshAccount(), 2), batchNo: 1 };
}

function answersOf(key: BatchKey): unknown[] {
  return readJournal(world.app)
    .filter((entry) => entry.fileId === key.fileId && 'answer' in entry)
    .map((entry) => (entry as unknown as { answer: unknown }).answer);
}

describe('recordAnswer, when the ledger does not take the answer', () => {
  it('asks again until it does; meanwhile the answer stands in the log and in the send journal', async () => {
    const key = await freshBatch();
    const cut = cutAtStatement(world.app, VERDICT);
    await submitBatch(answering(cut.app, TAKEN).app, key);
    expect(cut.wasCut()).toBe(true);
    expect(await storyOf(world.app, key)).toMatchObject({
      state: 'submitted',
      batchId: '8001',
      attempts: [{ attempt: 1, verdict: 'submitted' }],
    });
    expect(answersOf(key)).toEqual([{ verdict: 'submitted', batchId: '8001' }]);
    expect(world.logged).toContainEqual(
      expect.objectContaining({
        level: 50,
        fileId: key.fileId,
        answer: { verdict: 'submitted', batchId: '8001' },
        msg: `the ledger does not take the answer of the service yet: ${POWER_CUT}`,
      }),
    );
  });

  it('keeps it beside the doubt, when others have put the batch in doubt meanwhile', async () => {
    const key = await freshBatch();
    const cut = cutAtStatement(world.app, VERDICT);
    const putInDoubt = async () => {
      await query(world.app, `UPDATE batch SET lease_until = 'epoch' WHERE file_id = $1`, [key.fileId]);
      await recoverBatches(world.app.ledger, longestCallMs(world.app));
    };
    const doubted = beforeStatement(cut.app, VERDICT, () => (cut.wasCut() ? putInDoubt() : undefined));
    await submitBatch(answering(doubted, { ...TAKEN, batchId: '8002' }).app, key);
    expect(await storyOf(world.app, key)).toMatchObject({
      state: 'unknown',
      batchId: null,
      moves: ['prepare', 'send', 'doubt', 'late-answer'],
      maySend: false,
    });
  });

  it('writes nothing beside the ledger when that takes the answer at once', async () => {
    const key = await freshBatch();
    await submitBatch(answering(world.app, { ...TAKEN, batchId: '8003' }).app, key);
    expect(answersOf(key)).toEqual([]);
  });
});

describe('the intent to send', () => {
  it('is withdrawn when it took longer than the lease to become durable: nothing leaves', async () => {
    const key = await freshBatch();
    const clock = handClock(new Date());
    const { leaseMs } = world.app.account('account-1');
    // As when the process is stopped, or the host sleeps, between the commit and the first byte.
    const slow: App = {
      ...world.app,
      clock,
      journal: {
        ...world.app.journal,
        append: async (entry) => {
          await world.app.journal.append(entry);
          clock.advance(leaseMs + 1);
        },
      },
    };
    const scripted = answering(slow, TAKEN);
    await submitBatch(scripted.app, key);
    expect(scripted.bodies).toEqual([]);
    expect(await storyOf(world.app, key)).toMatchObject({
      state: 'ready',
      attempt: 2,
      attempts: [{ attempt: 1, verdict: 'not_sent' }],
    });
  });
});
