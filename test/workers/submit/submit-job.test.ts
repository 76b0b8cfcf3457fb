import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { cancelFile } from '../../../src/ledger/file/cancel-file.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { runSubmitJob } from '../../../workers/submit/submit.ts';
import { answering, withGateway } from '../support/scripted-gateway.ts';
import { stepWorld } from '../support/step-world.ts';
import { jobsAddedBy, storyOf } from '../support/story.ts';
import { takeInCharges } from '../support/take-in.ts';

const world = stepWorld({ accounts: 7 });

const GOING_ON = new AbortController().signal;

/** Makes a file of three batches in its own account. */
async function threeBatches(): Promise<[BatchKey, BatchKey, BatchKey]> {
  const fileId = await takeInCharges(world.app, world.freshAccount(), 6);
  return [
    { fileId, batchNo: 1 },
    { fileId, batchNo: 2 },
    { fileId, batchNo: 3 },
  ];
}

async function statesOf(keys: readonly BatchKey[]): Promise<string[]> {
  return Promise.all(keys.map(async (key) => (await storyOf(world.app, key)).state));
}

let given = 0;

/** A service that takes every batch, each under a new id. */
function takingAll(meanwhile: () => void | Promise<void> = () => {}): App {
  return withGateway(world.app, {
    submitBatch: async ({ beforeFirstByte }) => {
      if (!(await beforeFirstByte({ url: 'https://service.example/', requestBytes: 1_000 })))
        return { kind: 'withheld' };
      await meanwhile();
      given += 1;
      return { kind: 'submitted', batchId: `turn-${given}`, text: 'Batch Processing, Please Wait ....' };
    },
  });
}

describe('runSubmitJob', () => {
  it('sends the batches of its account one after the other, and asks nobody to go on', async () => {
    const keys = await threeBatches();
    const asks = await jobsAddedBy(world.app, keys[0].fileId, () =>
      runSubmitJob(takingAll(), keys[0], GOING_ON, 60_000),
    );
    expect(await statesOf(keys)).toEqual(['submitted', 'submitted', 'submitted']);
    expect(asks.filter((job) => job.startsWith('submit'))).toEqual([]);
  });

  it('asks for the next batch when its time is over', async () => {
    const keys = await threeBatches();
    const asks = await jobsAddedBy(world.app, keys[0].fileId, () => runSubmitJob(takingAll(), keys[0], GOING_ON, 0));
    expect(await statesOf(keys)).toEqual(['submitted', 'ready', 'ready']);
    expect(asks).toContain('submit-2');
  });

  it('ends after the call that is on its way when it is told to', async () => {
    const keys = await threeBatches();
    const stop = new AbortController();
    await runSubmitJob(
      takingAll(() => stop.abort()),
      keys[0],
      stop.signal,
      60_000,
    );
    expect(await statesOf(keys)).toEqual(['submitted', 'ready', 'ready']);
  });

  it('asks for the result of each, also of the last', async () => {
    const keys = await threeBatches();
    const asks = await jobsAddedBy(world.app, keys[0].fileId, () =>
      runSubmitJob(takingAll(), keys[0], GOING_ON, 60_000),
    );
    expect(asks).toEqual(['poll-1-0', 'poll-2-0', 'poll-3-0']);
  });

  it('goes on with another file when the next one is cancelled during a call', async () => {
    const account = world.freshAccount();
    const files: string[] = [];
    for (const from of [1, 11, 21]) files.push(await takeInCharges(world.app, account, 2, from));
    const keys = files.map((fileId) => ({ fileId, batchNo: 1 }));
    let calls = 0;
    const app = takingAll(async () => {
      calls += 1;
      if (calls > 1) return;
      // By then the next batch has been looked up.
      await new Promise((resolve) => setTimeout(resolve, 200));
      await cancelFile(world.app.ledger, files[1]!, { actor: 'test', reason: 'a change of mind' });
    });
    await runSubmitJob(app, keys[0]!, GOING_ON, 60_000);
    expect(await statesOf(keys)).toEqual(['submitted', 'cancelled', 'submitted']);
  });

  it('goes no further when a batch is in doubt', async () => {
    const keys = await threeBatches();
    const evidence = { httpStatus: 502, bytesWritten: 900, bytesRead: 20, answerText: 'Bad Gateway' };
    const { app } = answering(world.app, { kind: 'unknown', why: 'the service answered HTTP 502', evidence });
    const asks = await jobsAddedBy(world.app, keys[0].fileId, () => runSubmitJob(app, keys[0], GOING_ON, 60_000));
    expect(await statesOf(keys)).toEqual(['unknown', 'ready', 'ready']);
    expect(asks).toEqual([]);
  });

  it('leaves a batch alone whose turn has not come', async () => {
    const keys = await threeBatches();
    await runSubmitJob(takingAll(), keys[2], GOING_ON, 60_000);
    expect(await statesOf(keys)).toEqual(['ready', 'ready', 'ready']);
  });
});
