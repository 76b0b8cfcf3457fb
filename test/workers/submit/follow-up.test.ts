import { setTimeout as sleep } from 'node:timers/promises';
import { expect, describe, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { SubmitAnswer } from '../../../src/gateway/answers.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { runOnce } from '../../../workers/stage.ts';
import { submitStage } from '../../../workers/submit/submit.ts';
import { REFUSED, taken, UNKNOWN, withGateway } from '../support/scripted-gateway.ts';
import { beforeStatement, cutAtStatement, losingAnswer, stepWorld } from '../support/step-world.ts';
import { submitBatch } from '../../support/work-alone.ts';

/** One commit ends a call and declares the next. Nothing leaves that should not, and no answer waits for it. */

const world = stepWorld({ accounts: 40 });

type Script = {
  /** How long each connection takes, in ms. */
  connectMs?: (place: number) => number;
  /** Called when a connection stands, before it asks whether it may send. */
  stands?: (place: number) => Promise<unknown>;
  /** Called while the service works on a batch; returns its answer. `nextStands` waits for the connection of the next. */
  during?: (number: number, nextStands: () => Promise<void>) => Promise<SubmitAnswer | void> | SubmitAnswer | void;
};

/** Answers once the next connection stands, however busy the machine is; the third of three has no next. */
const onceNextStands: Script['during'] = async (number, nextStands) => {
  if (number < 3) await nextStands();
};

let ids = 0;

/** A service that takes every batch under a new id. `sent` has the bodies that left, `opened` counts connections. */
function serving(app: App, { connectMs, stands, during }: Script = {}) {
  const sent: string[] = [];
  let opened = 0;
  let latest = 0;
  const scripted = withGateway(app, {
    submitBatch: async ({ body, beforeFirstByte }) => {
      opened += 1;
      const place = opened;
      await sleep(connectMs?.(place) ?? 0);
      await stands?.(place);
      latest = place;
      if (!(await beforeFirstByte({ url: 'https://service.example/', requestBytes: 1_000 })))
        return { kind: 'withheld' };
      sent.push(Buffer.from(body).toString());
      const number = sent.length;
      const nextStands = async () => {
        while (latest <= place) await sleep(1);
      };
      return (await during?.(number, nextStands)) ?? taken(`follow-${(ids += 1)}`);
    },
    askTime: async () => undefined,
    fetchBatchResult: async () => ({ kind: 'not_known', text: 'Invalid Batch ID' }),
  });
  return { app: scripted, sent, opened: () => opened };
}

/** Makes a file of three batches. The account has sent before, so nothing is asked about ids that its calls may skip. */
async function threeBatches(): Promise<{ account: string; keys: BatchKey[] }> {
  const account = world.freshAccount();
  for (const from of [101, 111])
    await submitBatch(serving(world.app).app, { fileId: await world.takeInCharges(account, 2, from), batchNo: 1 });
  const fileId = await world.takeInCharges(account, 6);
  return { account, keys: [1, 2, 3].map((batchNo) => ({ fileId, batchNo })) };
}

async function send(app: App, account: string, stop = new AbortController().signal): Promise<void> {
  const accounts = new Map([[account, app.account(account)]]);
  await runOnce({ ...app, settings: { ...app.settings, accounts } }, submitStage({ sliceMs: 60_000 }), stop);
}

const statesOf = (keys: readonly BatchKey[]) => Promise.all(keys.map(async (key) => (await world.storyOf(key)).state));

/** Returns an app that counts the commits of calls. */
function counting(app: App): { app: App; commits(): number } {
  let commits = 0;
  const counted = beforeStatement(app, /commit_send/, () => {
    commits += 1;
    return undefined;
  });
  return { app: counted, commits: () => commits };
}

describe('calls that follow each other', () => {
  it('have one commit for the end of each and the declaration of the next', async () => {
    const { account, keys } = await threeBatches();
    const { app, commits } = counting(world.app);
    const service = serving(app, { during: onceNextStands });
    await send(service.app, account);
    expect(await statesOf(keys)).toEqual(['submitted', 'submitted', 'submitted']);
    expect(new Set(service.sent).size).toBe(3);
    expect(commits()).toBe(4);
    for (const key of keys)
      expect(await world.storyOf(key)).toMatchObject({ journal: [1], moves: ['send', 'submit'], attempt: 1 });
  });

  it('are declared by themselves when the connection takes longer than an answer may wait', async () => {
    const { account, keys } = await threeBatches();
    const { app, commits } = counting(world.app);
    const seen: string[] = [];
    const service = serving(app, {
      connectMs: (place) => (place > 1 ? 300 : 0),
      stands: async (place) => {
        if (place > 1) seen.push((await world.storyOf(keys[place - 2]!)).state);
      },
    });
    await send(service.app, account);
    expect(await statesOf(keys)).toEqual(['submitted', 'submitted', 'submitted']);
    expect(seen).toEqual(['submitted', 'submitted']);
    expect(commits()).toBe(6);
    expect(service.opened()).toBe(3);
  });

  it('open another connection when theirs has stood for too long', async () => {
    const { account, keys } = await threeBatches();
    const service = serving(world.app, {
      during: async (number, nextStands) => {
        if (number > 1) return;
        await nextStands();
        await sleep(2_100);
      },
    });
    await send(service.app, account);
    expect(await statesOf(keys)).toEqual(['submitted', 'submitted', 'submitted']);
    expect(service.sent).toHaveLength(3);
    expect(service.opened()).toBe(4);
  });

  it.each([REFUSED, UNKNOWN])(
    'end with an answer that is $kind, and nothing of the next is written',
    async (answer) => {
      const { account, keys } = await threeBatches();
      const service = serving(world.app, {
        during: async (_number, nextStands) => {
          await nextStands();
          return answer;
        },
      });
      await send(service.app, account);
      expect(service.sent).toHaveLength(1);
      expect(await statesOf(keys)).toEqual([answer.kind, 'ready', 'ready']);
      expect(await world.storyOf(keys[1]!)).toMatchObject({ moves: [], attempts: [], journal: [] });
    },
  );

  it('end when paydrop is to stop, and nothing of the next is written', async () => {
    const { account, keys } = await threeBatches();
    const stop = new AbortController();
    const service = serving(world.app, {
      during: async (_number, nextStands) => {
        await nextStands();
        stop.abort();
      },
    });
    await send(service.app, account, stop.signal);
    expect(await statesOf(keys)).toEqual(['submitted', 'ready', 'ready']);
    expect(await world.storyOf(keys[1]!)).toMatchObject({ moves: [], attempts: [], journal: [] });
  });

  it('end when a person pauses the account during a call', async () => {
    const { account, keys } = await threeBatches();
    const service = serving(world.app, {
      during: async (_number, nextStands) => {
        await nextStands();
        await pauseAccount(world.app.ledger, account, { actor: 'operator:ada', reason: 'wait' });
      },
    });
    await send(service.app, account);
    expect(service.sent).toHaveLength(1);
    expect(await statesOf(keys)).toEqual(['submitted', 'ready', 'ready']);
    expect((await world.storyOf(keys[1]!)).moves).toEqual([]);
  });

  it('lose neither the answer nor a batch when their common commit fails', async () => {
    const { account, keys } = await threeBatches();
    const cut = cutAtStatement(world.app, /commit_send/, 1);
    const service = serving(cut.app, { during: onceNextStands });
    await send(service.app, account);
    expect(cut.wasCut()).toBe(true);
    expect(service.sent).toHaveLength(1);
    expect(await world.storyOf(keys[0]!)).toMatchObject({ state: 'submitted', moves: ['send', 'submit'] });
    expect(await world.storyOf(keys[1]!)).toMatchObject({ state: 'ready', moves: [], attempts: [], journal: [] });
  });

  it('send nothing that was declared when the answer to the common commit is lost', async () => {
    const { account, keys } = await threeBatches();
    const service = serving(losingAnswer(world.app, /commit_send/, 1), { during: onceNextStands });
    await send(service.app, account);
    expect(service.sent).toHaveLength(1);
    expect(await world.storyOf(keys[0]!)).toMatchObject({ state: 'submitted', moves: ['send', 'submit'] });
    expect(await world.storyOf(keys[1]!)).toMatchObject({
      state: 'ready',
      attempt: 2,
      attempts: [{ attempt: 1, verdict: 'not_sent' }],
      moves: ['send', 'unsent'],
      journal: [],
    });
  });

  it('end in doubt with a batch id that the account has had, and nothing of the next leaves', async () => {
    const { account, keys } = await threeBatches();
    const known = taken(`follow-${ids}`);
    const service = serving(world.app, {
      during: async (_number, nextStands) => {
        await nextStands();
        return known;
      },
    });
    await send(service.app, account);
    expect(service.sent).toHaveLength(1);
    expect(await statesOf(keys)).toEqual(['unknown', 'ready', 'ready']);
  });

  it('come to nothing when no connection can be made, and the end of the call before is written', async () => {
    const { account, keys } = await threeBatches();
    let calls = 0;
    const service = serving(world.app, { during: () => sleep(30) });
    const gateway = service.app.gateway({ account, merchant_no: 0 });
    const failing: typeof gateway.submitBatch = async (call) => {
      calls += 1;
      return calls > 1 ? { kind: 'not_sent', why: 'connection refused' } : gateway.submitBatch(call);
    };
    await send({ ...service.app, gateway: () => ({ ...gateway, submitBatch: failing }) }, account);
    expect(await statesOf(keys)).toEqual(['submitted', 'ready', 'ready']);
    expect(await world.storyOf(keys[1]!)).toMatchObject({ moves: ['put-off'], attempts: [], maySend: false });
  });

  it.each<[string, string, number]>([
    ['the next batch', 'SELECT FROM batch WHERE file_id = $1 AND batch_no = 2 FOR UPDATE', 1],
    ['the file of the next batch', 'SELECT FROM file WHERE file_id = $2 FOR UPDATE', 3],
  ])('write an answer at once while another transaction holds %s', async (_what, lock, taken) => {
    const { account, keys } = await threeBatches();
    const fileId = await world.takeInCharges(account, 2, 201);
    const { pool } = world.app.ledger;
    const other = await pool.connect();
    let waited = 0;
    try {
      await other.query('BEGIN');
      const service = serving(world.app, {
        during: async (number, nextStands) => {
          if (number !== taken) return;
          await nextStands();
          await other.query(lock.replace(/\$\d/, '$1'), [lock.includes('$2') ? fileId : keys[0]!.fileId]);
          const answeredAt = performance.now();
          void expect
            .poll(async () => (await world.batch(keys[taken - 1]!)).state, { interval: 5 })
            .toBe('submitted')
            .then(() => {
              waited = performance.now() - answeredAt;
              return other.query('COMMIT');
            });
        },
      });
      await send(service.app, account);
      expect(waited).toBeGreaterThan(0);
    } finally {
      other.release();
    }
    expect((await statesOf(keys)).slice(0, taken)).toEqual(Array.from({ length: taken }, () => 'submitted'));
  });

  it('do not wait for the queue while the next one is in progress', async () => {
    const { account, keys } = await threeBatches();
    let rings = 0;
    let answered = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const ring: App['queue']['ring'] = async () => {
      rings += 1;
      // Only once the next answer is in the ledger: a queue that is slow for so long.
      if (rings === 1) await isAnswered;
    };
    const service = serving({ ...world.app, queue: { ...world.app.queue, ring } }, { during: onceNextStands });
    const sent = send(service.app, account);
    await expect.poll(async () => (await world.batch(keys[1]!)).state).toBe('submitted');
    answered();
    await sent;
    expect(await statesOf(keys)).toEqual(['submitted', 'submitted', 'submitted']);
  });

  it('use no connection that the service has closed meanwhile, and try a batch once', async () => {
    const { account, keys } = await threeBatches();
    const service = serving(world.app, { during: onceNextStands });
    const gateway = service.app.gateway({ account, merchant_no: 0 });
    let opened = 0;
    const closing: typeof gateway.submitBatch = (call) => {
      opened += 1;
      // Each second one waits for the end of a call.
      const isClosed = opened % 2 === 0;
      return gateway.submitBatch({
        ...call,
        beforeFirstByte: (about) =>
          call.beforeFirstByte({
            ...about,
            findFault: async () => (isClosed ? 'the service closed the connection' : undefined),
          }),
      });
    };
    await send({ ...service.app, gateway: () => ({ ...gateway, submitBatch: closing }) }, account);
    expect(await statesOf(keys)).toEqual(['submitted', 'submitted', 'submitted']);
    for (const key of keys) expect(await world.storyOf(key)).toMatchObject({ attempt: 1, moves: ['send', 'submit'] });
    expect(opened).toBe(5);
  });

  it('are tried anew when no second connection can be made during a call, and that counts as no try', async () => {
    const { account, keys } = await threeBatches();
    const service = serving(world.app, { during: () => sleep(30) });
    const gateway = service.app.gateway({ account, merchant_no: 0 });
    let busy = 0;
    const single: typeof gateway.submitBatch = async (call) => {
      if (busy > 0) return { kind: 'not_sent', why: 'connection refused' };
      busy += 1;
      return gateway.submitBatch(call).finally(() => {
        busy -= 1;
      });
    };
    await send({ ...service.app, gateway: () => ({ ...gateway, submitBatch: single }) }, account);
    expect(await statesOf(keys)).toEqual(['submitted', 'submitted', 'submitted']);
    for (const key of keys) expect(await world.storyOf(key)).toMatchObject({ attempt: 1, moves: ['send', 'submit'] });
    expect(await world.query('SELECT FROM failing_work WHERE account = $1', [account])).toEqual([]);
  });
});
