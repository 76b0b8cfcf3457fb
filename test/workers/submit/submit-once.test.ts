import type { Socket } from 'node:net';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { describe, expect, it } from 'vitest';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { runSubmitJob, submitBatch } from '../../../workers/submit/submit.ts';
import { answering, REFUSED, taken, UNKNOWN, withGateway } from '../support/scripted-gateway.ts';
import { agentCodeOf, stepWorld } from '../support/step-world.ts';
import { RELEASED, rungBy } from '../support/story.ts';
import type { App } from '../../../src/app.ts';
import { enqueueSubmit } from '../../../workers/enqueue.ts';
import { cancelFile } from '../../../src/ledger/file/cancel-file.ts';

/** One batch, however many calls want it, however late, and whatever held it meanwhile. */

const world = stepWorld({ accounts: 26, special: { sleepy: { leaseMs: 30 } } });

describe('submitBatch, when the lease ran out before the first byte', () => {
  it('sends nothing, and the batch is free again', async () => {
    const first = { fileId: await world.takeInCharges('sleepy', 2), batchNo: 1 };
    const before = () => expect.poll(() => isLeaseOver(first), { interval: 10 }).toBe(true);
    const scripted = answering(world.app, taken('7016'), { before });
    await submitBatch(scripted.app, first);
    expect(scripted.bodies).toEqual([]);
    expect(await world.storyOf(first)).toMatchObject(RELEASED);
  });
});

async function isLeaseOver(key: BatchKey): Promise<boolean> {
  const [row] = await world.query<{ over: boolean }>(
    'SELECT lease_until < clock_timestamp() AS over FROM batch WHERE file_id = $1 AND batch_no = $2',
    [key.fileId, key.batchNo],
  );
  return row!.over;
}

describe('submitBatch, left in doubt without the time of the service', () => {
  it('asks for it once the doubt is on record, and does without when nobody answers', async () => {
    const at = new Date('2026-06-15T10:00:00Z');
    const timeOf = async (askTime: () => Promise<Date | undefined>) => {
      const { first } = await world.twoBatches();
      const states: string[] = [];
      const ask = async () => {
        states.push((await world.storyOf(first)).state);
        return askTime();
      };
      await submitBatch(answering(world.app, UNKNOWN, { askTime: ask }).app, first);
      expect(states).toEqual(['unknown']);
      return world.query('SELECT service_at AS at FROM attempt WHERE file_id = $1', [first.fileId]);
    };
    expect(await timeOf(async () => at)).toEqual([{ at }]);
    expect(await timeOf(() => Promise.reject(new Error('down')))).toEqual([{ at: null }]);
  });
});

describe('submitBatch, asked more than once', () => {
  // A call that begins after the first got its id queries later ids before it sees what is left to do.
  const fetchBatchResult = async () => ({ kind: 'not_known', text: 'Invalid Batch ID' }) as const;

  it('20 times at the same moment sends once', async () => {
    const { first } = await world.twoBatches();
    const scripted = answering(world.app, taken('7009'), { fetchBatchResult });
    await Promise.all(Array.from({ length: 20 }, () => submitBatch(scripted.app, first)));
    expect(scripted.bodies).toHaveLength(1);
    expect(await world.storyOf(first)).toMatchObject({ state: 'submitted', journal: [1] });
  });

  it('both batches of an account at the same moment are not in flight together', async () => {
    const { first, second } = await world.twoBatches();
    let inFlight = 0;
    let most = 0;
    const scripted = answering(world.app, taken('7010'));
    const gateway = scripted.app.gateway({ account: '', merchant_no: 0 });
    const counting: typeof gateway.submitBatch = async (call) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      return gateway.submitBatch(call).finally(() => {
        inFlight -= 1;
      });
    };
    const app = { ...scripted.app, gateway: () => ({ ...gateway, submitBatch: counting, fetchBatchResult }) };
    await Promise.all([first, second, first, second].map((key) => submitBatch(app, key)));
    expect(most).toBe(1);
    // The second may find the first already answered and go out then; neither goes out twice.
    expect(scripted.bodies.length).toBe(new Set(scripted.bodies).size);
  });

  it.each([REFUSED, UNKNOWN, taken('7011')])('does nothing for a batch that is $kind', async (answer) => {
    const { first } = await world.twoBatches();
    await submitBatch(answering(world.app, answer).app, first);
    const before = await world.storyOf(first);
    const again = answering(world.app, taken('7012'));
    await submitBatch(again.app, first);
    expect(again.bodies).toEqual([]);
    expect(await world.storyOf(first)).toEqual(before);
  });

  it('one account in doubt does not stop another', async () => {
    const [doubtful, other] = [await world.twoBatches(), await world.twoBatches()];
    await submitBatch(answering(world.app, UNKNOWN).app, doubtful.first);
    await submitBatch(answering(world.app, taken('7013')).app, other.first);
    expect((await world.storyOf(other.first)).state).toBe('submitted');
  });

  it('an unknown batch stops the other files of its account too', async () => {
    const { account, first } = await world.twoBatches();
    const fileId = await world.takeInCharges(account, 2, 50);
    await submitBatch(answering(world.app, UNKNOWN).app, first);
    const next = answering(world.app, taken('7014'));
    await submitBatch(next.app, { fileId, batchNo: 1 });
    expect(next.bodies).toEqual([]);
  });
});

describe('submitBatch, when the sweep gave a verdict in the meantime', () => {
  it('leaves the batch unknown and keeps the answer that came late', async () => {
    const { first } = await world.twoBatches();
    const sql = `UPDATE batch SET state = 'unknown', token = NULL WHERE file_id = $1 AND batch_no = 1`;
    const after = () => world.query(sql, [first.fileId]);
    await submitBatch(answering(world.app, taken('7015'), { after }).app, first);
    expect(await world.storyOf(first)).toMatchObject({ state: 'unknown', batchId: null, maySend: false });
    const [late] = await world.query<{ reason: string }>(
      `SELECT reason FROM audit WHERE file_id = $1 AND move = 'late-answer'`,
      [first.fileId],
    );
    expect(late?.reason).toContain('7015');
    const lines = world.logged.filter((line) => line['fileId'] === first.fileId && line['batchNo'] === 1);
    expect(lines.map((line) => line.msg).join()).not.toContain('batch submitted');
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', msg: expect.stringContaining('7015') }));
  });
});

const GOING_ON = new AbortController().signal;

/** Makes a file of three batches in its own account. */
async function threeBatches(): Promise<[BatchKey, BatchKey, BatchKey]> {
  const fileId = await world.takeInCharges(world.freshAccount(), 6);
  return [
    { fileId, batchNo: 1 },
    { fileId, batchNo: 2 },
    { fileId, batchNo: 3 },
  ];
}

async function statesOf(keys: readonly BatchKey[]): Promise<string[]> {
  return Promise.all(keys.map(async (key) => (await world.storyOf(key)).state));
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
    const asks = await rungBy(() => runSubmitJob(takingAll(), keys[0], GOING_ON, 60_000));
    expect(await statesOf(keys)).toEqual(['submitted', 'submitted', 'submitted']);
    expect(asks.filter((job) => job.startsWith('submit'))).toEqual([]);
  });

  it('asks for the next batch when its time is over', async () => {
    const keys = await threeBatches();
    const asks = await rungBy(() => runSubmitJob(takingAll(), keys[0], GOING_ON, 0));
    expect(await statesOf(keys)).toEqual(['submitted', 'ready', 'ready']);
    expect(asks).toContain('submit');
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

  it('begins nothing when it starts after that', async () => {
    const keys = await threeBatches();
    await runSubmitJob(takingAll(), keys[0], AbortSignal.abort(), 60_000);
    expect(await statesOf(keys)).toEqual(['ready', 'ready', 'ready']);
  });

  it('asks for the results of all, also of the last, by one job', async () => {
    const keys = await threeBatches();
    const { fileId } = keys[0];
    const asks = await rungBy(() => runSubmitJob(takingAll(), keys[0], GOING_ON, 60_000));
    expect(asks).toEqual([`poll-1-0.${fileId}-2-0.${fileId}-3-0`]);
    expect(await rungBy(() => sweep(world.app))).toEqual([]);
  });

  it('goes on with another file when the next one is cancelled during a call', async () => {
    const account = world.freshAccount();
    const files: string[] = [];
    for (const from of [1, 11, 21]) files.push(await world.takeInCharges(account, 2, from));
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
    const { app } = answering(world.app, UNKNOWN);
    const asks = await rungBy(() => runSubmitJob(app, keys[0], GOING_ON, 60_000));
    expect(await statesOf(keys)).toEqual(['unknown', 'ready', 'ready']);
    expect(asks).toEqual([]);
  });

  it('leaves a batch alone whose turn has not come', async () => {
    const keys = await threeBatches();
    await runSubmitJob(takingAll(), keys[2], GOING_ON, 60_000);
    expect(await statesOf(keys)).toEqual(['ready', 'ready', 'ready']);
  });
});

it('accounts whose service never answers hold up no other account, and hold no connection to the database', async () => {
  const { app, service } = world;
  const sockets: Socket[] = [];
  const hanging = await Promise.all([world.twoBatches(), world.twoBatches()]);
  for (const { account } of hanging) service.play(agentCodeOf(account), (socket) => void sockets.push(socket));
  const fine = await world.twoBatches();
  const stopping = new AbortController();
  // As many at a time as there are accounts, which is the default.
  const worker = app.queue.work('submit', 3, (job) => runSubmitJob(app, job, stopping.signal));
  try {
    for (const { first } of hanging) await enqueueSubmit(app, first);
    await expect.poll(() => sockets.length, { interval: 10 }).toBe(2);
    // Their next batches wait in the ledger, not in a call.
    for (const { second } of hanging) await enqueueSubmit(app, second);
    await enqueueSubmit(app, fine.first);
    await expect.poll(() => service.posts(agentCodeOf(fine.account)), { interval: 10 }).toBe(2);
    const { pool, locks } = app.ledger;
    await expect.poll(() => pool.totalCount - pool.idleCount, { interval: 10 }).toBe(0);
    expect(locks.totalCount - locks.idleCount).toBe(0);
    expect(sockets.filter((socket) => !socket.destroyed)).toHaveLength(2);
  } finally {
    stopping.abort();
    for (const socket of sockets) socket.destroy();
    await worker.close();
  }
  for (const { account, first } of hanging) {
    expect(await world.movesOf(first)).toEqual(['prepare', 'send', 'doubt']);
    expect(service.posts(agentCodeOf(account))).toBe(1);
  }
});
