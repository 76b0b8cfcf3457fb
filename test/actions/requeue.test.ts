import { describe, expect, it } from 'vitest';
import { readBatches, readBatchRow, readFileRow } from '../../src/ledger/file/read-file.ts';
import { requeueFile } from '../../src/actions/requeue.ts';
import { submitBatch } from '../../workers/submit/submit.ts';
import { takeClaim } from '../../workers/watch/take-claim.ts';
import { achRow, lines } from '../support/payment-rows.ts';
import { answering } from '../workers/support/scripted-gateway.ts';
import { openStepWorld } from '../workers/support/step-world.ts';
import { jobsAddedBy, loseQueue } from '../workers/support/story.ts';
import { claimContent, takeInCharges } from '../workers/support/take-in.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(() => openStepWorld({ accounts: 4 }));

describe('requeueFile', () => {
  it('asks for the intake of a file that is claimed', async () => {
    const claim = await claimContent(world.app, `drop/${world.freshAccount()}/ach-charge`, 'a.csv', lines([achRow(1)]));
    await takeClaim(world.app, claim);
    await loseQueue(world.app);
    const file = await readFileRow(world.app.ledger, claim.fileId);
    expect(await jobsAddedBy(world.app, claim.fileId, () => requeueFile(world.app, file))).toEqual(['intake']);
  });

  it('asks for what each batch waits for: the first that is ready, and every result', async () => {
    const fileId = await takeInCharges(world.app, world.freshAccount(), 6);
    await submitBatch(answering(world.app, { kind: 'submitted', batchId: 'r1', text: 'taken' }).app, {
      fileId,
      batchNo: 1,
    });
    await loseQueue(world.app);
    const file = await readFileRow(world.app.ledger, fileId);
    let asked: string[] = [];
    const ask = async () => (asked = await requeueFile(world.app, file));
    expect(await jobsAddedBy(world.app, fileId, ask)).toEqual(['deliver', 'poll-1-0', 'submit-2']);
    expect(asked).toEqual(['poll of batch 1', 'submit of batch 2', 'deliver']);
  });

  it('asks for one batch alone, and for nothing when it is in doubt', async () => {
    const fileId = await takeInCharges(world.app, world.freshAccount(), 4);
    const unknown = { kind: 'unknown', why: 'reset', evidence: { bytesWritten: 1, bytesRead: 0 } } as const;
    const service = answering(world.app, unknown);
    await submitBatch(service.app, { fileId, batchNo: 1 });
    await loseQueue(world.app);
    const file = await readFileRow(world.app.ledger, fileId);
    const [doubtful, waiting] = await readBatches(world.app.ledger, fileId);
    expect(await requeueFile(world.app, file, doubtful)).toEqual([]);
    expect(await requeueFile(world.app, file, waiting)).toEqual(['submit of batch 2']);
    await submitBatch(service.app, { fileId, batchNo: 2 });
    await submitBatch(service.app, { fileId, batchNo: 1 });
    expect(service.bodies).toHaveLength(1);
    expect((await readBatchRow(world.app.ledger, { fileId, batchNo: 2 })).state).toBe('ready');
  });
});
