import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SubmitAnswer } from '../../../src/gateway/answers.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { answering, answeringUnasked, EVIDENCE, REFUSED, taken, UNKNOWN } from '../support/scripted-gateway.ts';
import { stepWorld } from '../support/step-world.ts';
import { RELEASED, rungBy, type Story } from '../support/story.ts';
import { submitBatch } from '../../support/work-alone.ts';

const world = stepWorld({ accounts: 20 });

/** The answer came after the permission to send, so ledger and journal hold the intent. */
const ASKED: { answer: SubmitAnswer | Error; leaves: Partial<Story>; nextIsSent: boolean }[] = [
  {
    answer: taken('7001'),
    leaves: {
      state: 'submitted',
      batchId: '7001',
      attempts: [{ attempt: 1, verdict: 'submitted', evidence: { text: 'Batch Processing, Please Wait ....' } }],
      moves: ['send', 'submit'],
    },
    nextIsSent: true,
  },
  {
    answer: REFUSED,
    leaves: {
      state: 'refused',
      reason: 'the service refused it: The agent code is not set up, or the login is wrong (REJECT: 1)',
      attempts: [{ attempt: 1, verdict: 'refused', evidence: { text: 'REJECT: 1', code: 1 } }],
      moves: ['send', 'refuse'],
    },
    nextIsSent: false,
  },
  {
    answer: UNKNOWN,
    leaves: {
      state: 'unknown',
      reason: 'the service answered HTTP 502',
      attempts: [{ attempt: 1, verdict: 'unknown', evidence: EVIDENCE }],
      moves: ['send', 'doubt'],
    },
    nextIsSent: false,
  },
  {
    answer: new Error('thrown after the yes'),
    leaves: {
      state: 'unknown',
      reason: 'the call broke off',
      attempts: [{ attempt: 1, verdict: 'unknown', evidence: { bytesWritten: 1_000, bytesRead: 0 } }],
      moves: ['send', 'doubt'],
    },
    nextIsSent: false,
  },
  {
    answer: { kind: 'not_sent', why: 'the service closed the connection before the request' },
    leaves: {
      state: 'ready',
      attempt: 2,
      reason: 'nothing was sent: the service closed the connection before the request',
      attempts: [{ attempt: 1, verdict: 'not_sent', evidence: {} }],
      moves: ['send', 'unsent'],
    },
    nextIsSent: false,
  },
];

describe('submitBatch, once the intent is durable', () => {
  it.each(ASKED)('$leaves.moves', async ({ answer, leaves, nextIsSent }) => {
    const { first, second } = await world.twoBatches();
    const scripted = answering(world.app, answer);
    expect(await rungBy(() => submitBatch(scripted.app, first))).toEqual(['poll']);
    expect(await world.storyOf(first)).toMatchObject({ journal: [1], stop: undefined, ...leaves });
    expect(scripted.bodies).toHaveLength(1);

    const next = answering(world.app, taken(`next-of-${first.fileId}`));
    await submitBatch(next.app, second);
    expect(next.bodies).toHaveLength(nextIsSent ? 1 : 0);
    expect((await world.storyOf(second)).state).toBe(nextIsSent ? 'submitted' : 'ready');
  });

  it('sends the rows of the batch and no others', async () => {
    const { first } = await world.twoBatches();
    const scripted = answering(world.app, taken('7002'));
    await submitBatch(scripted.app, first);
    expect(scripted.bodies[0]?.split('\n').map((row) => row.split(',')[0])).toEqual(['A-1', 'A-2']);
  });

  it('takes a batch id that the account has had for no proof: the batch is unknown', async () => {
    const { first, second } = await world.twoBatches();
    await submitBatch(answering(world.app, taken('7003')).app, first);
    await submitBatch(answering(world.app, taken('7003')).app, second);
    expect(await world.storyOf(second)).toMatchObject({
      state: 'unknown',
      batchId: null,
      reason: expect.stringContaining('7003, which this account already has'),
      attempts: [{ attempt: 1, verdict: 'unknown' }],
      maySend: false,
    });
    expect(
      world.logged.filter((line) => line['fileId'] === first.fileId && line.msg.startsWith('batch submitted')),
    ).toHaveLength(1);
    expect(world.logged).toContainEqual(
      expect.objectContaining({ level: 'error', batchNo: 2, msg: expect.stringContaining('batch in doubt') }),
    );
  });

  it('takes the same batch id of another account for what it is, a coincidence', async () => {
    const [one, other] = [await world.twoBatches(), await world.twoBatches()];
    await submitBatch(answering(world.app, taken('7004')).app, one.first);
    await submitBatch(answering(world.app, taken('7004')).app, other.first);
    expect((await world.storyOf(other.first)).state).toBe('submitted');
  });
});

/** The gateway never asked for permission, or was refused it: no intent was recorded, so nothing needs an end. */
const UNASKED: { when: string; answer: SubmitAnswer | Error; reason: string; stop?: string }[] = [
  {
    when: 'no connection',
    answer: { kind: 'not_sent', why: 'no connection within 10000 ms' },
    reason: 'nothing was sent: no connection within 10000 ms',
  },
  {
    when: 'restricted, which stops the account',
    answer: { kind: 'restricted', message: 'Your merchant account does not accept this.' },
    reason: 'Your merchant account does not accept this.',
    stop: 'Your merchant account does not accept this.',
  },
  {
    when: 'settings that cannot be used',
    answer: new PipelineError('GATEWAY_SETUP', 'set up the payment service', 'agent code or password is empty'),
    reason: expect.stringContaining('agent code or password is empty'),
  },
  {
    when: 'an error of somebody else',
    answer: new Error('may hold the request'),
    reason: 'nothing was sent: the call could not be prepared',
  },
];

describe('submitBatch, when the gateway did not come to the first byte', () => {
  it.each(UNASKED)('puts the batch back as it was: $when', async ({ answer, reason, stop }) => {
    const { first } = await world.twoBatches();
    await submitBatch(answeringUnasked(world.app, answer), first);
    expect(await world.storyOf(first)).toMatchObject({ ...RELEASED, attempt: 1, reason, stop, maySend: false });
  });

  it('writes nothing when the gateway withheld it unasked', async () => {
    const { first } = await world.twoBatches();
    await submitBatch(answeringUnasked(world.app, { kind: 'withheld' }), first);
    expect(await world.storyOf(first)).toMatchObject({ state: 'ready', moves: [], attempts: [], maySend: true });
  });

  it('waits longer each time, and sends when the wait is over', async () => {
    const { first } = await world.twoBatches();
    const waits: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await submitBatch(answeringUnasked(world.app, { kind: 'not_sent', why: 'refused' }), first);
      waits.push(await waitOf(first));
      const tooEarly = answering(world.app, taken('never'));
      await submitBatch(tooEarly.app, first);
      expect(tooEarly.bodies).toEqual([]);
      await world.query('UPDATE batch SET not_before = NULL WHERE file_id = $1', [first.fileId]);
    }
    expect(waits).toEqual([1, 2, 4]);
    await submitBatch(answering(world.app, taken('7005')).app, first);
    expect(await world.storyOf(first)).toMatchObject({ state: 'submitted', attempt: 1, journal: [1] });
  });
});

/** Returns how long the batch waits, in seconds. Its try was a moment ago. */
async function waitOf(key: BatchKey): Promise<number> {
  const { not_before: until } = await world.batch(key);
  return Math.ceil((until!.getTime() - Date.now()) / 1_000);
}

describe('submitBatch, when the intent cannot be made durable', () => {
  it('sends nothing when the journal cannot be written, and the next try is attempt 2', async () => {
    const { account, first } = await world.twoBatches();
    const append = () => Promise.reject(new PipelineError('DISK_FULL', 'write the send journal'));
    const journal = { ...world.app.journal, append };
    const scripted = answering({ ...world.app, journal }, taken('7006'));
    await submitBatch(scripted.app, first);
    expect(scripted.bodies).toEqual([]);
    expect(await world.storyOf(first)).toMatchObject({
      state: 'ready',
      attempt: 2,
      attempts: [{ attempt: 1, verdict: 'not_sent' }],
      moves: ['send', 'unsent'],
      journal: [],
    });
    const noted = await world.query<{ reason: string }>('SELECT reason FROM failing_work WHERE account = $1', [
      account,
    ]);
    expect(noted).toEqual([{ reason: expect.stringContaining('could not be made durable') }]);

    await world.query('UPDATE batch SET not_before = NULL WHERE file_id = $1', [first.fileId]);
    await submitBatch(answering(world.app, taken('7006')).app, first);
    expect(await world.storyOf(first)).toMatchObject({ state: 'submitted', attempt: 2, journal: [2] });
  });

  it('sends nothing when the ledger cannot take the intent', async () => {
    const { first } = await world.twoBatches();
    const scripted = answering(world.app, taken('7007'));
    await world.query(`ALTER TABLE attempt ADD CONSTRAINT no_room CHECK (file_id <> '${first.fileId}')`);
    await submitBatch(scripted.app, first);
    await world.query('ALTER TABLE attempt DROP CONSTRAINT no_room');
    expect(scripted.bodies).toEqual([]);
    expect(await world.storyOf(first)).toMatchObject({ ...RELEASED, attempt: 1 });
  });

  it('sends nothing when the account is stopped while the connection is made', async () => {
    const { account, first } = await world.twoBatches();
    const before = () => world.query(`INSERT INTO account_stop VALUES ($1, 'a person said so', now())`, [account]);
    const scripted = answering(world.app, taken('7008'), { before });
    await submitBatch(scripted.app, first);
    expect(scripted.bodies).toEqual([]);
    expect(await world.storyOf(first)).toMatchObject({ state: 'ready', attempts: [], journal: [] });
  });

  it('reports again and goes on when its journal has been reported to another ledger meanwhile', async () => {
    const { first } = await world.twoBatches();
    const { notes } = await world.app.journal.readSelf('host', world.app.clock);
    const fence = notes.findLast((note) => note.kind === 'fence')!;
    await world.app.journal.append({ ...fence, epoch: fence.epoch + 3, closing: randomUUID() });
    const scripted = answering(world.app, taken('7009'));
    await submitBatch(scripted.app, first);
    expect(scripted.bodies).toEqual([]);
    await world.query('UPDATE batch SET not_before = NULL WHERE file_id = $1', [first.fileId]);
    await submitBatch(scripted.app, first);
    expect(scripted.bodies).toHaveLength(1);
    expect((await world.storyOf(first)).state).toBe('submitted');
  });
});
