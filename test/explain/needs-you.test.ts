import { reconcileBatch } from '../support/end-batches.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Settings } from '../../src/config/config.ts';
import { countNeeds, type Need, readNeeds } from '../../src/explain/needs-you.ts';
import { tellPayment, whyPayment } from '../../src/explain/why/tell-payment.ts';
import { pauseAccount } from '../../src/ledger/account/pause-account.ts';
import { readFileRow } from '../../src/ledger/file/read-file.ts';
import { transact } from '../../src/ledger/engine/transaction.ts';
import { RESOLUTION_ACTIONS } from '../../src/ledger/doubt/resolution-actions.ts';
import { acknowledgeRun } from '../../src/ledger/schedule/acknowledge-run.ts';
import { finishRun, resumeRun } from '../../src/ledger/schedule/begin-run.ts';
import { findRun } from '../../src/ledger/schedule/read-runs.ts';
import { propose } from '../../src/ledger/proposal/propose.ts';
import type { ReconciledRow } from '../../src/rows/rows.ts';
import { openTestLedger, outcomesOf } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { undecidedBatch } from '../workers/support/resolve-context.ts';
import { stopAccount } from '../../src/ledger/account/stop-account.ts';

const world = openedForTests(openTestLedger);
beforeEach(() => world.empty());

const ANN = 'operator:ann';
const settings = {
  accounts: new Map([['main', { name: 'main', timeZone: 'UTC', calendar: undefined }]]),
  folders: [],
  schedules: { nightly: { timeZone: 'UTC' } },
} as unknown as Settings;

const read = (actor = ANN) => readNeeds(world.ledger, settings, actor);
const kinds = (needs: readonly Need[]) => needs.map(({ kind }) => kind);

async function upload(fileId: string, actor: string): Promise<void> {
  await world.ledger.pool.query(
    `INSERT INTO upload (account, folder, name, sha256, bytes, actor, at, file_id)
     SELECT account, folder, name, sha256, 1, $2, claimed_at, file_id FROM file WHERE file_id = $1`,
    [fileId, actor],
  );
}

/** Brings one thing of every kind into the ledger, the least bad first. */
async function makeAll(): Promise<void> {
  await world.force(
    `INSERT INTO schedule_run (schedule, business_date, state, due_at, finished_at, summary)
     VALUES ('nightly', '2026-06-14', 'missed', '2026-06-14T22:00:00Z', '2026-06-14T22:00:00Z', '{"says": "nothing ran"}')`,
  );
  const late = await world.batchIn('submitted');
  await world.force('UPDATE batch SET stale_since = state_at WHERE file_id = $1', [late.file_id]);
  const order = { action: 'approve', binding: {}, reason: 'it is right', actor: 'operator:bob' } as const;
  const proposed = await world.held({ account: 'main' });
  await transact(world.ledger, (tx) => propose(tx, { ...order, fileId: proposed.file_id }));
  await world.held({ account: 'main' });
  await pauseAccount(world.ledger, 'main', { actor: 'operator:bob', reason: 'the bank is closed' });
  await undecidedBatch(world);
  for (const state of ['refused', 'exception', 'unknown'] as const) await world.batchIn(state);
}

describe('readNeeds', () => {
  it('finds nothing in a ledger where all goes well', async () => {
    await world.accepted({ account: 'main' });
    await world.batchIn('submitted');
    expect(await read()).toEqual([]);
  });

  it('lists every kind, the worst first', async () => {
    await makeAll();
    expect(kinds(await read())).toEqual([
      'in_doubt',
      'mismatch',
      'refused',
      'undecided',
      'stopped',
      'needs_approval',
      'proposal',
      'overdue',
      'failed',
    ]);
  });

  it('says what a thing is about, what waits behind it, and the one step that settles it', async () => {
    const batch = await world.batchIn('unknown', { account: 'main', name: 'june.csv' });
    await world.accepted({ account: 'main' });
    await world.held({ account: 'main' });
    await world.accepted({ account: 'side' });
    const [doubt] = await read();
    expect(doubt).toEqual({
      kind: 'in_doubt',
      what: 'june.csv, batch 1',
      account: 'main',
      fileId: batch.file_id,
      batchNo: 1,
      run: null,
      amount: { rows: 2, cents: 500 },
      since: batch.state_at,
      says: expect.stringContaining('may or may not have taken'),
      behind: { rows: 2, cents: 500 },
      next: { see: 'doubt', fileId: batch.file_id, batchNo: 1 },
    });
  });

  it('names its own run: "run now" makes the run of today, one of another day can only be acknowledged', async () => {
    const today = world.clock.now().toISOString().slice(0, 10);
    await world.force(
      `INSERT INTO schedule_run (schedule, business_date, state, due_at, finished_at) SELECT 'nightly', day, 'missed', at, at
       FROM (VALUES ($1::date - 1, $2::timestamptz - interval '1 day'), ($1::date, $2)) run (day, at)`,
      [today, world.clock.now()],
    );
    const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
    expect((await read()).map(({ run, next }) => [run, next])).toEqual(
      [['acknowledge-run', yesterday] as const, ['run-now', today] as const].map(([action, day]) => [
        { schedule: 'nightly', day },
        { action, schedule: 'nightly', day },
      ]),
    );
  });

  it('lists a run no more once a user has acknowledged it, until its next try fails', async () => {
    const day = new Date(world.clock.now().getTime() - 86_400_000).toISOString().slice(0, 10);
    await world.force(
      `INSERT INTO schedule_run (schedule, business_date, state, due_at, finished_at, tries)
       VALUES ('nightly', $1, 'failed', $2::timestamptz - interval '1 day', $2, 1)`,
      [day, world.clock.now()],
    );
    const because = { actor: ANN, reason: 'the server was moved' };
    await acknowledgeRun(world.ledger, await findRun(world.ledger, 'nightly', day), because);
    expect(await read()).toEqual([]);
    expect(await countNeeds(world.ledger, settings, ANN)).toMatchObject({ needsYou: 0 });
    const again = await resumeRun(world.ledger, await findRun(world.ledger, 'nightly', day), 'retry-run', because);
    await finishRun(world.ledger, again!, 'failed', because);
    expect(kinds(await read())).toEqual(['failed']);
  });

  it('names undecided rows of a finished batch, their money and how to decide them; they stop nothing', async () => {
    const batch = await undecidedBatch(world, { account: 'main', name: 'june.csv' });
    await world.accepted({ account: 'main' });
    const key = { fileId: batch.file_id, batchNo: 1 };
    expect(await read()).toMatchObject([
      {
        kind: 'undecided',
        what: 'june.csv, batch 1',
        ...key,
        amount: { rows: 1, cents: 300 },
        behind: null,
        next: { see: 'doubt', ...key },
      },
    ]);
    expect(await countNeeds(world.ledger, settings, ANN)).toMatchObject({ needsYou: 1, isInDoubt: true });
  });

  it('counts behind the stop of all accounts what any of them would send', async () => {
    await world.accepted({ account: 'main' });
    await world.accepted({ account: 'side' });
    await stopAccount(world.ledger, '*', 'restored');
    expect(await read()).toMatchObject([
      { kind: 'stopped', what: 'all accounts', says: 'restored', behind: { rows: 4, cents: 1_000 } },
    ]);
  });

  it('leaves files and proposals of a person to the others', async () => {
    const mine = await world.held({ name: 'mine.csv' });
    await upload(mine.file_id, ANN);
    expect([kinds(await read(ANN)), kinds(await read('operator:bob'))]).toEqual([[], ['needs_approval']]);
    const order = { action: 'approve', binding: {}, reason: 'it is right', actor: 'operator:bob' } as const;
    await transact(world.ledger, (tx) => propose(tx, { ...order, fileId: mine.file_id }));
    expect(kinds(await read(ANN))).toEqual(['proposal']);
    expect(kinds(await read('operator:bob'))).toEqual([]);
    expect(kinds(await read('operator:cy'))).toEqual(['proposal']);
  });
});

describe('countNeeds', () => {
  it.each([ANN, 'operator:bob'])('counts for %s as many things as the list has', async (actor) => {
    await makeAll();
    await upload((await world.held()).file_id, ANN);
    const needs = await read(actor);
    expect(needs.length).toBeGreaterThan(6);
    expect((await countNeeds(world.ledger, settings, actor)).needsYou).toBe(needs.length);
  });
});

describe('tellPayment', () => {
  /** Tells the payment of line 2, 2.00 without a currency, of which this became known. */
  async function told(row: Partial<ReconciledRow>) {
    const batch = await world.batchIn('result_in', { account: 'main', name: 'june.csv' });
    const key = { fileId: batch.file_id, batchNo: 1 };
    const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
    const rows = outcomesOf(batch).map((one) => (one.line === 2 ? { ...one, authorization: '', ...row } : one));
    await reconcileBatch(world.ledger, key, fileNo, rows, {});
    await world.force(`UPDATE payment_row SET invoice = 'INV-7' WHERE file_no = $1 AND line = 2`, [fileNo]);
    return tellPayment(world.ledger, settings, { fileId: batch.file_id, line: 2 });
  }

  it.each([
    [
      { outcome: 'approved', authorization: 'A12' },
      'Approved',
      undefined,
      / was made on 2026-06-15\. Authorization: A12\.$/,
    ],
    [
      { outcome: 'declined', code: 15 },
      'Declined',
      'cardholder',
      / was declined on .* \(general decline\)\. Please call your bank/,
    ],
    [
      { outcome: 'declined', code: 14 },
      'Declined',
      'later',
      / was declined on .* \(the card is over its limit\)\. It may be tried/,
    ],
    [
      { outcome: 'declined', code: 7 },
      'Declined',
      'never',
      / was declined on 2026-06-15\. Please tell us another way to pay\.$/,
    ],
    [{ outcome: 'declined', code: 55 }, 'Declined', 'unknown', / is not confirmed yet\. Please do not pay again/],
    [{ outcome: 'unknown' }, 'In doubt', 'unknown', / is not confirmed yet\. Please do not pay again/],
    [{ outcome: 'format_error' }, 'Format error', 'fix', / could not be made on .* Please check the details/],
  ] as const)('says of %j what it means, what to do and what to answer', async (row, word, advice, answer) => {
    const payment = await told(row);
    expect(payment.tries[0]!.standing).toMatchObject({ word, advice });
    expect(payment.answer).toMatch(answer);
    expect(payment.answer).toMatch(/^Your payment of 2\.00 for invoice INV-7 /);
  });

  it.each([
    ['unknown', 'In doubt', / is not confirmed yet\. Please do not pay again/],
    ['submitted', 'Awaiting result', / is being processed\.$/],
    ['cancelled', 'Not sent', / was not made on /],
  ] as const)('says of one in a batch that is %s how it stands', async (state, word, answer) => {
    const { file_id: fileId } = await world.batchIn(state);
    const payment = await tellPayment(world.ledger, settings, { fileId, line: 2 });
    expect([payment.tries[0]!.standing.word, payment.answer]).toEqual([word, expect.stringMatching(answer)]);
  });

  it('says that the answer of the service does not tell, and how to enter what it says later', async () => {
    const { file_id: fileId } = await undecidedBatch(world, { account: 'main' });
    const { now, next } = await whyPayment(world.ledger, settings, { fileId, line: 3 });
    expect(now[0]).toBe('In doubt: “TIMEOUT” does not say whether it was charged; ask the service.');
    expect(next).toEqual([
      'The money may have moved; look it up at the service first.',
      `Then enter what the service says: "paydrop resolve ${fileId}/1".`,
    ]);
  });

  it('says that a person closed a payment only where one did', async () => {
    const { file_id: fileId } = await undecidedBatch(world, { account: 'main' });
    const close = RESOLUTION_ACTIONS['close-in-doubt'];
    const subject = { file_id: fileId, batch_no: 1, evidence: { waitMs: 0 } };
    await transact(world.ledger, (tx) => close.carryOut(tx, subject, { actor: ANN, reason: 'nobody can say' }));
    const { now, next } = await whyPayment(world.ledger, settings, { fileId, line: 3 });
    expect(now[0]).toContain('a person closed it without knowing whether it was charged');
    expect(next.at(-1)).toMatch(/^If a transaction report of the service shows it later: "paydrop resolve/);
    expect(kinds(await read())).toEqual([]);
  });

  it('tells what happened in order, and no decline of a file that a person let go', async () => {
    const { file_id: fileId } = await world.held({ account: 'main', name: 'held.csv', withheld: 1 });
    await world.force(`UPDATE payment_row SET invoice = '4222222222222220' WHERE line = 4`);
    await upload(fileId, ANN);
    const withheld = await tellPayment(world.ledger, settings, { fileId, line: 4 });
    expect(withheld.events.map(({ word, says, by }) => [word, says, by])).toEqual([
      ['Received', 'held.csv, line 4', 'ann'],
      ['Held', 'hold it', ''],
    ]);
    expect(withheld.tries[0]!.standing).toMatchObject({ word: 'Invalid', advice: 'fix' });
    expect(withheld.answer).not.toContain('4222222222222220');
    const { about, now, next } = await whyPayment(world.ledger, settings, { fileId, line: 2 });
    expect(about).toBe(`line 2 of held.csv (file ${fileId})`);
    expect(now[0]).toBe('Needs approval: nothing is sent until a person approves it.');
    expect(next).toEqual([`How its batch stands: "paydrop why ${fileId}/1".`]);
  });
});
