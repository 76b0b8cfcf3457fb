import { beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { deliverFile } from '../../../workers/deliver/deliver.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { mayBeSent, enqueueNextBatch } from '../../../workers/enqueue.ts';
import { answering } from '../support/scripted-gateway.ts';
import { stepWorld } from '../support/step-world.ts';
import { jobIds, jobsAddedBy, loseQueue, storyOf } from '../support/story.ts';
import { takeInCharges } from '../support/take-in.ts';

/** Sending from 20:00 to 6:00 UTC, through all stages involved. */

const world = stepWorld({ accounts: 12 });

const clock = handClock('2026-06-15T12:00:00Z');
const TAKEN = { kind: 'submitted', batchId: '1', text: 'taken' } as const;

let app: App;
let account: string;
let fileId: string;
/** Each test gets its own account with a file of two batches. The other accounts have no window. */
beforeEach(async () => {
  account = world.freshAccount();
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
  const window = { from: '20:00', to: '06:00', days: [...days], holidays: ['2026-06-18'] };
  const accounts = new Map(world.settings.accounts);
  accounts.set(account, { ...accounts.get(account)!, window });
  const ledger = { ...world.app.ledger, clock };
  app = {
    ...world.app,
    clock,
    ledger,
    settings: { ...world.settings, accounts },
    account: (name) => accounts.get(name)!,
  };
  clock.set('2026-06-15T12:00:00Z');
  fileId = await takeInCharges(app, account, 4);
  await deliverFile(app, { fileId });
});

async function send(batchNo = 1, batchId = `${account}-${batchNo}`): Promise<number> {
  const scripted = answering(app, { ...TAKEN, batchId });
  await submitBatch(scripted.app, { fileId, batchNo });
  return scripted.bodies.length;
}

describe('a window that is closed', () => {
  it('lets nothing be prepared, without a stop and without a trace', async () => {
    for (const at of ['2026-06-15T06:00:00Z', '2026-06-15T19:59:59.999Z']) {
      clock.set(at);
      expect(mayBeSent(app, account)).toBe(false);
      expect(await send()).toBe(0);
    }
    const story = await storyOf(app, { fileId, batchNo: 1 });
    expect(story).toMatchObject({ state: 'ready', moves: [], stop: undefined, journal: [] });
  });

  it('lets a batch be sent as long as it is open, the next one after it too', async () => {
    clock.set('2026-06-15T20:00:00Z');
    expect(await send(1)).toBe(1);
    clock.set('2026-06-16T05:59:59.999Z');
    expect(await send(2)).toBe(1);
    expect((await storyOf(app, { fileId, batchNo: 2 })).state).toBe('submitted');
  });

  it('lets a call that has begun in it go on to its end behind it', async () => {
    clock.set('2026-06-16T05:59:59.999Z');
    const scripted = answering(app, { ...TAKEN, batchId: `${account}-slow` });
    const gateway = scripted.app.gateway(account);
    const slow = {
      ...gateway,
      submitBatch: (call: Parameters<typeof gateway.submitBatch>[0]) => {
        clock.set('2026-06-16T06:00:10Z');
        return gateway.submitBatch(call);
      },
    };
    await submitBatch({ ...scripted.app, gateway: () => slow }, { fileId, batchNo: 1 });
    expect((await storyOf(app, { fileId, batchNo: 1 })).state).toBe('submitted');
    expect(await send(2)).toBe(0);
  });

  it('wakes nobody, and the sweep has one job wait for its opening', async () => {
    await loseQueue(app);
    expect(await jobsAddedBy(app, fileId, () => enqueueNextBatch(app, account))).toEqual([]);
    expect(await jobsAddedBy(app, fileId, () => sweep(app))).toEqual(['submit-1']);
    expect(await jobsAddedBy(app, fileId, () => sweep(app))).toEqual([]);
    const id = [...(await jobIds(app, fileId))].find((job) => job.startsWith('submit'))!;
    expect((await app.queue.ids('submit', 'next')).has(id)).toBe(false);
  });

  it('is found open by the sweep when that job was lost, or still waits', async () => {
    await sweep(app);
    clock.set('2026-06-15T20:00:00Z');
    expect(await jobsAddedBy(app, fileId, () => sweep(app))).toEqual(['submit-1']);
    await loseQueue(app);
    expect(await jobsAddedBy(app, fileId, () => enqueueNextBatch(app, account))).toEqual(['submit-1']);
  });

  it('lets every other account send', async () => {
    const other = world.freshAccount();
    const theirs = await takeInCharges(app, other, 2);
    const scripted = answering(app, { ...TAKEN, batchId: 'theirs' });
    await submitBatch(scripted.app, { fileId: theirs, batchNo: 1 });
    expect(scripted.bodies).toHaveLength(1);
  });
});

describe('mayBeSent', () => {
  it('is so of an account without a window, and of one that has left the configuration', () => {
    expect(mayBeSent(app, world.freshAccount())).toBe(true);
    expect(mayBeSent(app, 'gone')).toBe(true);
  });
});
