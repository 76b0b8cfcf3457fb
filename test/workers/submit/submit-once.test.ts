import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import type { QueueName } from '../../../schemas/jobs.ts';
import { runOnce, startStage, WorkingGroups } from '../../../workers/stage.ts';
import { submitStage } from '../../../workers/submit/submit.ts';
import { forceSql } from '../../support/force-sql.ts';
import { answering, REFUSED, taken, UNKNOWN, withGateway } from '../support/scripted-gateway.ts';
import { dueOf, putTaken } from '../support/stage-steps.ts';
import { agentCodeOf, stepWorld } from '../support/step-world.ts';
import { rungBy } from '../support/story.ts';
import type { App } from '../../../src/app.ts';
import { cancelFile } from '../../../src/ledger/file/cancel-file.ts';
import { submitBatch } from '../../support/work-alone.ts';

/** One batch, however many calls want it, however late, and whatever held it meanwhile. */

const world = stepWorld({ accounts: 30, special: { sleepy: { leaseMs: 30 } } });

describe('submitBatch, when the lease ran out before the first byte', () => {
  it('sends nothing, and the batch is free again', async () => {
    const first = { fileId: await world.takeInCharges('sleepy', 2), batchNo: 1 };
    const append: App['journal']['append'] = async (entry) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return world.app.journal.append(entry);
    };
    const scripted = answering({ ...world.app, journal: { ...world.app.journal, append } }, taken('7016'));
    await submitBatch(scripted.app, first);
    expect(scripted.bodies).toEqual([]);
    expect(await world.storyOf(first)).toMatchObject({
      state: 'ready',
      attempt: 2,
      reason: expect.stringMatching(/the intent to send is withdrawn: it took \d+ ms to become durable/),
      moves: ['send', 'unsent'],
    });
  });
});

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

describe('the stage, asked more than once', () => {
  // A call that begins after the first got its id queries later ids before it sees what is left to do.
  const fetchBatchResult = async () => ({ kind: 'not_known', text: 'Invalid Batch ID' }) as const;

  it('20 times at the same moment sends once', async () => {
    const { first, second } = await world.twoBatches();
    // One that comes late would find the first answered, and send the second.
    await forceSql(world.app, "UPDATE batch SET state = 'cancelled' WHERE file_id = $1 AND batch_no = $2", [
      second.fileId,
      second.batchNo,
    ]);
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
      let left = 0;
      const beforeFirstByte: typeof call.beforeFirstByte = async (about) => {
        const mayLeave = await call.beforeFirstByte(about);
        left = mayLeave ? 1 : 0;
        inFlight += left;
        most = Math.max(most, inFlight);
        return mayLeave;
      };
      return gateway.submitBatch({ ...call, beforeFirstByte }).finally(() => {
        inFlight -= left;
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

/** Returns the app with only these accounts in its configuration, so that no other is due. */
function forAccounts(app: App, ...names: string[]): App {
  const accounts = new Map(names.map((name) => [name, app.account(name)]));
  return { ...app, settings: { ...app.settings, accounts } };
}

const accountOf = async (key: BatchKey) => (await world.batch(key)).account;

/** Sends for a time slice of the account of these batches. @returns the stages that were rung */
async function sendSlice(
  app: App,
  keys: readonly BatchKey[],
  { sliceMs = 60_000, stop = new AbortController().signal } = {},
): Promise<QueueName[]> {
  const only = forAccounts(app, await accountOf(keys[0]!));
  return rungBy(async () => expect(await runOnce(only, submitStage({ sliceMs }), stop)).toBe(1));
}

/** Returns whether the stage finds the account of a batch due. */
async function isDue(key: BatchKey): Promise<boolean> {
  const account = await accountOf(key);
  return (await dueOf(forAccounts(world.app, account), submitStage())).length > 0;
}

describe('submitStage', () => {
  it('sends the batches of an account one after the other, and rings for their results', async () => {
    const keys = await threeBatches();
    expect(await sendSlice(takingAll(), keys)).toEqual(['poll']);
    expect(await statesOf(keys)).toEqual(['submitted', 'submitted', 'submitted']);
    expect(await isDue(keys[0])).toBe(false);
  });

  it('gives the account back when its time is over, and finds it due again', async () => {
    const keys = await threeBatches();
    await sendSlice(takingAll(), keys, { sliceMs: 0 });
    expect(await statesOf(keys)).toEqual(['submitted', 'ready', 'ready']);
    expect(await isDue(keys[0])).toBe(true);
    await sendSlice(takingAll(), keys, { sliceMs: 0 });
    expect(await statesOf(keys)).toEqual(['submitted', 'submitted', 'ready']);
  });

  it('ends after the call in progress when it is to stop', async () => {
    const keys = await threeBatches();
    const stop = new AbortController();
    await sendSlice(
      takingAll(() => stop.abort()),
      keys,
      { stop: stop.signal },
    );
    expect(await statesOf(keys)).toEqual(['submitted', 'ready', 'ready']);
    expect(await isDue(keys[0])).toBe(true);
  });

  it('begins nothing when it is to stop already, and another process may take the account at once', async () => {
    const keys = await threeBatches();
    await sendSlice(takingAll(), keys, { stop: AbortSignal.abort() });
    expect(await statesOf(keys)).toEqual(['ready', 'ready', 'ready']);
    expect(await isDue(keys[0])).toBe(true);
  });

  it('rings for results after the first batch, and after the last', async () => {
    const keys = await threeBatches();
    const states: Promise<string[]>[] = [];
    let lookedFirst: () => void;
    const firstLook = new Promise<void>((resolve) => (lookedFirst = resolve));
    let calls = 0;
    // The second call ends once the first ring has looked.
    const app = takingAll(() => ((calls += 1) === 2 ? firstLook : undefined));
    const ring: App['queue']['ring'] = async (name) => {
      if (name !== 'poll') return;
      states.push(statesOf(keys));
      await states.at(-1);
      lookedFirst();
    };
    await sendSlice({ ...app, queue: { ...app.queue, ring } }, keys);
    const submittedAt = (await Promise.all(states)).map((all) => all.filter((state) => state === 'submitted').length);
    expect([submittedAt[0], submittedAt.at(-1)]).toEqual([1, 3]);
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
    await sendSlice(app, keys);
    expect(await statesOf(keys)).toEqual(['submitted', 'cancelled', 'submitted']);
  });

  it('goes no further when a batch is in doubt', async () => {
    const keys = await threeBatches();
    await sendSlice(answering(world.app, UNKNOWN).app, keys);
    expect(await statesOf(keys)).toEqual(['unknown', 'ready', 'ready']);
    expect(await isDue(keys[0])).toBe(false);
  });

  it('serves the account first that was served longest ago, so that none waits for the many batches of another', async () => {
    const all = [await threeBatches(), await threeBatches(), await threeBatches()];
    const accounts = await Promise.all(all.map(([first]) => accountOf(first)));
    const app = forAccounts(takingAll(), ...accounts);
    const stage = submitStage({ sliceMs: 0 });
    for (const round of [1, 2, 3]) {
      for (const _ of all) await runOnce(app, stage);
      const sent = await Promise.all(
        all.map(async (keys) => (await statesOf(keys)).filter((state) => state === 'submitted')),
      );
      expect(sent.map((states) => states.length)).toEqual([round, round, round]);
    }
    expect(await runOnce(app, stage)).toBe(0);
  });

  it('finds no account due that another process sends for', async () => {
    const keys = await threeBatches();
    const account = await accountOf(keys[0]);
    await putTaken(world.app, { stage: 'submit' }, account);
    expect(await isDue(keys[0])).toBe(false);
    expect(await runOnce(forAccounts(takingAll(), account), submitStage())).toBe(0);
    expect(await statesOf(keys)).toEqual(['ready', 'ready', 'ready']);
  });
});

it('accounts whose service never answers hold up no other account, and hold no connection to the database', async () => {
  const { service } = world;
  const sockets: Socket[] = [];
  const hanging = await Promise.all([world.twoBatches(), world.twoBatches()]);
  for (const { account } of hanging) service.play(agentCodeOf(account), (socket) => void sockets.push(socket));
  const fine = await world.twoBatches();
  const stopping = new AbortController();
  const app = forAccounts(world.app, ...[...hanging, fine].map(({ account }) => account));
  // As many at a time as there are accounts, which is the default.
  const runner = startStage(app, submitStage(), { hands: 3, stopping: stopping.signal, groups: new WorkingGroups() });
  try {
    await runner.wake();
    await expect.poll(() => sockets.length, { interval: 10 }).toBe(2);
    // The next batches of these accounts wait in the ledger, not in a call.
    await runner.wake();
    await expect.poll(() => service.posts(agentCodeOf(fine.account)), { interval: 10 }).toBe(2);
    const { pool, locks } = app.ledger;
    await expect.poll(() => pool.totalCount - pool.idleCount, { interval: 10 }).toBe(0);
    expect(locks.totalCount - locks.idleCount).toBe(0);
    expect(sockets.filter((socket) => !socket.destroyed)).toHaveLength(2);
  } finally {
    stopping.abort();
    for (const socket of sockets) socket.destroy();
    await runner.stop(60_000);
  }
  for (const { account, first } of hanging) {
    expect(await world.movesOf(first)).toEqual(['send', 'doubt']);
    expect(service.posts(agentCodeOf(account))).toBe(1);
  }
});
