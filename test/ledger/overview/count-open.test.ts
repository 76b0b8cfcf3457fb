import { beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { BATCH_STATES, type BatchState, FILE_STATES, type FileState } from '../../../schemas/lifecycle.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { listAudit, listFinished, readAuditHead } from '../../../src/ledger/overview/list-audit.ts';
import { listReady, openStageFlow, readStages } from '../../../src/ledger/overview/read-stages.ts';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { appendLate } from '../support/put-rows.ts';
import {
  countOpenBatches,
  countOpenFiles,
  OPEN_BATCH_STATES,
  OPEN_FILE_STATES,
  readBadges,
  sumHeld,
} from '../../../src/ledger/overview/overview.ts';

const world = openedForTests(openTestLedger);

beforeEach(() => world.empty());
describe('countOpenFiles', () => {
  it.each(Object.keys(FILE_STATES) as FileState[])('counts a file that is %s only while it is open', async (state) => {
    const file = await world.accepted({ account: 'main' });
    await world.putFile(file.file_id, state);
    const isOpen = OPEN_FILE_STATES.some((open) => open === state);
    const counted = { account: 'main', state, count: 1, oldestAt: new Date(START) };
    expect(await countOpenFiles(world.ledger)).toEqual(isOpen ? [counted] : []);
  });

  it('tells accounts and states apart, and since when the oldest of each waits', async () => {
    await world.held({ account: 'main' });
    world.clock.advance(60_000);
    await world.held({ account: 'main' });
    await world.held({ account: 'side' });
    await world.claimed({ account: 'main' });
    const later = new Date(new Date(START).getTime() + 60_000);
    expect(await countOpenFiles(world.ledger)).toEqual([
      { account: 'main', state: 'claimed', count: 1, oldestAt: later },
      { account: 'main', state: 'held', count: 2, oldestAt: new Date(START) },
      { account: 'side', state: 'held', count: 1, oldestAt: later },
    ]);
  });
});

describe('countOpenBatches', () => {
  it.each(Object.keys(BATCH_STATES) as BatchState[])('counts a batch that is %s unless it is final', async (state) => {
    const batch = await world.batchIn(state, { account: 'main' });
    const isOpen = OPEN_BATCH_STATES.some((open) => open === state);
    const counted = { account: 'main', state, count: 1, oldestAt: batch.state_at };
    expect(await countOpenBatches(world.ledger)).toEqual(isOpen ? [counted] : []);
  });

  it('leaves out what is final and nothing else', () => {
    expect(Object.keys(BATCH_STATES).filter((state) => !OPEN_BATCH_STATES.some((open) => open === state))).toEqual([
      'reconciled',
      'cancelled',
    ]);
  });
});

describe('sumHeld', () => {
  it('sums the valid rows of held files per account, and no others', async () => {
    await world.held({ account: 'main' });
    await world.held({ account: 'main', withheld: 2 });
    await world.accepted({ account: 'main' });
    expect(await sumHeld(world.ledger)).toEqual([
      { account: 'main', things: 2, rows: 4, cents: 1_000, oldestAt: new Date(START) },
    ]);
  });

  it('counts a held file of which nothing was read as 0 rows', async () => {
    const { file_id: fileId } = await world.claimed({ account: 'main' });
    await world.putFile(fileId, 'held');
    expect(await sumHeld(world.ledger)).toMatchObject([{ account: 'main', things: 1, rows: 0, cents: 0 }]);
  });
});

let fileId: string;
async function makeTrail(): Promise<void> {
  fileId = (await world.accepted()).file_id;
  world.clock.advance(60_000);
  await pauseAccount(world.ledger, 'main', { actor: 'operator:ada', reason: 'wait' });
  await pauseAccount(world.ledger, 'spare', { actor: 'operator:bob', reason: 'wait' });
}

const later = new Date(Date.parse(START) + 60_000);

describe('listAudit and readAuditHead', () => {
  beforeEach(makeTrail);

  it.each([
    ['everything', {}, ['claim', 'accept', 'pause-account', 'pause-account']],
    ['a file', () => ({ fileId }), ['claim', 'accept']],
    ['persons', { actor: 'operator:' }, ['pause-account', 'pause-account']],
    ['one person', { actor: 'operator:ada' }, ['pause-account']],
    ['a time on', { since: later }, ['pause-account', 'pause-account']],
    ['a later time on', { since: new Date(later.getTime() + 1) }, []],
    ['a time until a moment, without it', { until: later }, ['claim', 'accept']],
    ['the time between two moments', { since: new Date(START), until: later }, ['claim', 'accept']],
    ['the newest between two moments', { since: new Date(START), until: later, limit: 1 }, ['accept']],
    ['a move', { move: 'accept' }, ['accept']],
    ['a move of one person', { move: 'pause-account', actor: 'operator:bob' }, ['pause-account']],
    ['a person who did no such thing', { move: 'accept', actor: 'operator:bob' }, []],
    ['what came before a link', { before: 3 }, ['claim', 'accept']],
    ['what came just before a link', { before: 3, limit: 1 }, ['accept']],
    ['the newest', { limit: 1 }, ['pause-account']],
    ['a beginning that is no pattern', { actor: 'operator%' }, []],
  ])('listAudit lists the links of %s, the oldest first', async (_what, filter, moves) => {
    const wanted = typeof filter === 'function' ? filter() : filter;
    const links = await listAudit(world.ledger, { limit: 100, ...wanted });
    expect(links.map((link) => link.move)).toEqual(moves);
    expect(links.map((link) => link.seq)).toEqual(links.map((link) => link.seq).toSorted((one, other) => one - other));
  });

  it('readAuditHead says how long the trail is, and the hash of its ends', async () => {
    expect(await readAuditHead(world.ledger)).toEqual({ links: 4, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});

describe('readStages', () => {
  it('has nothing in a quiet ledger', async () => {
    const { file_id: fileId } = await world.accepted({ account: 'main' });
    await world.putBatch({ fileId, batchNo: 1 }, 'reconciled');
    await world.putFile(fileId, 'completed');
    await world.rejected();
    expect(await readStages(world.ledger)).toEqual([]);
  });

  it.each([
    ['ready', 'to_send'],
    ['sending', 'to_send'],
    ['submitted', 'at_service'],
    ['result_in', 'reconciling'],
    ['reconciled', 'delivering'],
    ['cancelled', 'delivering'],
  ] as const)('finds a batch that is %s in the stage %s', async (state, stage) => {
    await world.batchIn(state, { account: 'main' });
    const depth = { stage, account: 'main', things: 1, rows: 2, cents: 500, oldestAt: new Date(START) };
    expect(await readStages(world.ledger)).toEqual([depth]);
  });

  it.each(['unknown', 'exception', 'refused'] as const)('has a batch that is %s in no stage', async (state) => {
    await world.batchIn(state);
    expect(await readStages(world.ledger)).toEqual([]);
  });

  it('counts held files as waiting for approval, and their batches not as to be sent', async () => {
    await world.held({ account: 'main', batches: 2 });
    world.clock.advance(60_000);
    await world.held({ account: 'main' });
    await world.claimed({ account: 'side' });
    expect(await readStages(world.ledger)).toEqual([
      { stage: 'approval', account: 'main', things: 2, rows: 6, cents: 1_900, oldestAt: new Date(START) },
      { stage: 'checking', account: 'side', things: 1, rows: 0, cents: 0, oldestAt: later },
    ]);
  });
});

describe('listReady', () => {
  it('lists the first batches of these accounts that may be sent, in the order of their files', async () => {
    const first = await world.accepted({ account: 'main', batches: 2 });
    await world.held({ account: 'main' });
    const second = await world.accepted({ account: 'main', batches: 2 });
    await world.accepted({ account: 'side' });
    const ready = await listReady(world.ledger, ['main', 'none'], 3);
    expect(ready.map(({ fileId, batchNo }) => [fileId, batchNo])).toEqual([
      [first.file_id, 1],
      [first.file_id, 2],
      [second.file_id, 1],
    ]);
    expect(ready[0]).toMatchObject({ name: first.name, account: 'main', rows: 2, cents: 500 });
  });
});

/** Adds links of a move to the end of the trail, without what would lead to them. */
async function addLinks(move: string, count: number, at = world.clock.now()): Promise<void> {
  await world.force(
    `INSERT INTO audit SELECT nextval('audit_seq'), $2, 'worker:x', NULL, NULL, $1, NULL, 'reconciled', '', '{}', '', '', '', n
     FROM generate_series(1, $3::int) n`,
    [move, at, count],
  );
}

describe('openStageFlow', () => {
  const minutesAgo = (minutes: number) => new Date(Date.parse(START) - minutes * 60_000);

  it('counts what left a stage, per minute over the last five minutes and by the hour', async () => {
    await addLinks('reconcile', 20);
    await addLinks('reconcile', 10, minutesAgo(4));
    await addLinks('reconcile', 7, minutesAgo(61));
    await addLinks('reconcile', 99, minutesAgo(25 * 60));
    await addLinks('cut', 5);
    const { reconciling, checking } = await openStageFlow(world.ledger)();
    expect(reconciling.perMinute).toBe(6);
    expect(reconciling.hours.slice(-2)).toEqual([7, 30]);
    expect(reconciling.hours.slice(0, -2).every((count) => count === 0)).toBe(true);
    expect(checking).toMatchObject({ perMinute: 0 });
  });

  it('counts each link once, however often and at once it is read, and forgets a day later', async () => {
    const read = openStageFlow(world.ledger);
    await addLinks('submit', 5);
    await Promise.all([read(), read()]);
    await addLinks('submit', 5);
    expect((await read()).to_send.perMinute).toBe(2);
    world.clock.advance(25 * 3_600_000);
    expect((await read()).to_send).toEqual({ perMinute: 0, hours: Array.from({ length: 24 }, () => 0) });
  });

  it('counts a link that appears after one of another account with a larger number', async () => {
    const read = openStageFlow(world.ledger);
    await read();
    const commit = await appendLate(world.ledger, 'submit');
    await read();
    await commit();
    expect((await read()).to_send.perMinute).toBe(2 / 5);
  });
});

describe('listFinished', () => {
  it('lists what ended, the newest first, with its money and how long it took', async () => {
    const { file_id: fileId } = await world.accepted({ account: 'main' });
    await world.putBatch({ fileId, batchNo: 1 }, 'reconciled');
    await world.force(`UPDATE batch SET submitted_at = $1, final_at = $2`, [new Date(START), later]);
    await world.force(
      `INSERT INTO audit SELECT nextval('audit_seq'), $2, 'worker:x', $1, 1, 'reconcile', 'result_in', 'reconciled', 'it matches', '{}', '', '', '', 1`,
      [fileId, later],
    );
    await addLinks('finish-run', 1, later);
    const found = await listFinished(world.ledger, { limit: 10 });
    expect(found.map(({ fileId: of, state }) => [of, state])).toEqual([
      [null, 'reconciled'],
      [fileId, 'reconciled'],
    ]);
    expect(found[1]).toMatchObject({ batchNo: 1, account: 'main', rows: 2, cents: 500, tookMs: 60_000 });
    expect(await listFinished(world.ledger, { limit: 10, before: found[1]!.seq })).toEqual([]);
    expect(await listFinished(world.ledger, { limit: 10, account: 'side' })).toEqual([]);
    expect(await listFinished(world.ledger, { limit: 10, account: 'main' })).toHaveLength(1);
  });

  it('goes back two weeks', async () => {
    await addLinks('complete', 1);
    world.clock.advance(15 * 86_400_000);
    expect(await listFinished(world.ledger, { limit: 10 })).toEqual([]);
  });
});

describe('readBadges', () => {
  const because = { actor: 'operator:bob', reason: 'wait' };
  const read = () => readBadges(world.ledger, 'operator:ann');

  it('counts nothing in a quiet ledger', async () => {
    await world.accepted({ account: 'main' });
    expect(await read()).toEqual({ needsYou: 0, isInDoubt: false, approvals: 0, stopped: 0 });
  });

  it.each([
    ['unknown', { needsYou: 1, isInDoubt: true }],
    ['exception', { needsYou: 1, isInDoubt: true }],
    ['refused', { needsYou: 1, isInDoubt: false }],
    ['submitted', { needsYou: 0, isInDoubt: false }],
  ] as const)('counts a batch that is %s', async (state, counted) => {
    await world.batchIn(state);
    expect(await read()).toMatchObject(counted);
  });

  it('counts an account once, however often it is stopped', async () => {
    for (const account of ['main', 'side']) await pauseAccount(world.ledger, account, because);
    await world.ledger.pool.query(
      `INSERT INTO account_stop (account, reason, since, kind) SELECT account, reason, since, 'fault' FROM account_stop`,
    );
    expect(await read()).toMatchObject({ stopped: 2, needsYou: 4 });
  });

  it('leaves out the files and proposals of the person who looks', async () => {
    const mine = await world.held();
    await world.held();
    await world.ledger.pool.query(
      `INSERT INTO upload (account, folder, name, sha256, bytes, actor, at, file_id)
       SELECT account, folder, name, 'a', 1, 'operator:ann', claimed_at, file_id FROM file WHERE file_id = $1`,
      [mine.file_id],
    );
    expect(await read()).toMatchObject({ approvals: 1 });
    await proposeFor(mine.file_id, 'operator:ann');
    expect(await read()).toMatchObject({ approvals: 1 });
    // A held file that is proposed is one decision: whether to confirm it.
    await proposeFor((await world.held()).file_id, 'operator:bob');
    expect(await read()).toMatchObject({ approvals: 2 });
  });
});

function proposeFor(fileId: string, actor: string) {
  const order = { action: 'approve', binding: {}, reason: 'it is right' } as const;
  return transact(world.ledger, (tx) => propose(tx, { ...order, fileId, actor }));
}
