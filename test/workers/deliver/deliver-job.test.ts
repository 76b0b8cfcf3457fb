import { describe, expect, it } from 'vitest';
import { readOutputs } from '../../../src/ledger/file/read-file.ts';
import { runDeliverJob } from '../../../workers/deliver/deliver.ts';
import { stepWorld } from '../support/step-world.ts';
import { jobsAddedBy } from '../support/story.ts';
import { takeInCharges } from '../support/take-in.ts';

const world = stepWorld({ accounts: 4 });

const kindsOf = async (fileId: string) => (await readOutputs(world.app.ledger, fileId)).map(({ kind }) => kind);

describe('runDeliverJob', () => {
  it('writes what is due for each file of its job', async () => {
    const account = world.freshAccount();
    const [fileId, next] = [await takeInCharges(world.app, account, 2), await takeInCharges(world.app, account, 2, 5)];
    await runDeliverJob(world.app, { fileId, more: [next] }, new AbortController().signal);
    expect([await kindsOf(fileId), await kindsOf(next)]).toEqual([['ack'], ['ack']]);
  });

  it('asks for the rest when it is told to end', async () => {
    const account = world.freshAccount();
    const [fileId, next] = [await takeInCharges(world.app, account, 2), await takeInCharges(world.app, account, 2, 5)];
    const asks = await jobsAddedBy(world.app, next, () =>
      runDeliverJob(world.app, { fileId, more: [next] }, AbortSignal.abort()),
    );
    expect([await kindsOf(fileId), await kindsOf(next)]).toEqual([['ack'], []]);
    expect(asks).toEqual(['deliver']);
  });
});
