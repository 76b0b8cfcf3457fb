import { describe, expect, it } from 'vitest';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { resolutionOf, sayResolved, takesTwoToResolve } from '../../../src/actions/resolve/doubt-context.ts';
import type { ActionContext } from '../../../src/actions/action.ts';
import { keyOf, openTestLedger } from '../../support/ledger-world.ts';
import {
  ACCOUNT,
  CALLED_AT,
  contextAt,
  doubtfulBatch,
  foundDoubt,
  persons,
  resultOf,
} from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { InDoubt } from '../../../src/ledger/doubt/in-doubt.ts';
import { resolutionOptions } from '../../../src/actions/resolve/resolution-options.ts';
import type { ResultAnswer } from '../../../src/gateway/answers.ts';
import { MOST_IDS, probeIds, suggestRange } from '../../../src/actions/resolve/probe-ids.ts';

const world = openedForTests(openTestLedger);

function contextFor(isForTwo: boolean): ActionContext {
  const account = () => ({ secondPerson: persons(isForTwo) });
  const settings = { accounts: new Map() };
  return { ledger: world.ledger, settings, account, gateway: () => 'the gateway' } as unknown as ActionContext;
}

async function doubt() {
  const batch = await doubtfulBatch(world, { name: 'monday.csv' });
  return { kind: 'batch', batch, file: await readFileRow(world.ledger, batch.file_id) } as const;
}

describe('resolutionOf', () => {
  it('has what resolving a batch needs', async () => {
    const place = await doubt();
    const { file, batch, actor, dryRun, gateway } = resolutionOf(contextFor(false), place, 'operator:ada', true);
    expect([file, batch, actor, dryRun, gateway]).toEqual([
      place.file,
      place.batch,
      'operator:ada',
      true,
      'the gateway',
    ]);
  });
});

describe('takesTwoToResolve', () => {
  it('goes by the account, and refuses while a proposal waits', async () => {
    const place = await doubt();
    expect(await takesTwoToResolve(contextFor(false), place)).toBe(false);
    expect(await takesTwoToResolve(contextFor(true), place)).toBe(true);
    const { file_id: fileId, batch_no: batchNo } = place.batch;
    const proposal = { action: 'close-in-doubt', fileId, batchNo, binding: {}, reason: 'x', actor: 'operator:ada' };
    await transact(world.ledger, (tx) => propose(tx, proposal));
    await expect(takesTwoToResolve(contextFor(true), place)).rejects.toMatchObject({ code: 'PROPOSAL_OPEN' });
  });
});

describe('sayResolved', () => {
  it('says what was done and whether the account goes on', async () => {
    const place = await doubt();
    const held = await sayResolved(contextFor(false), 'close-in-doubt', place, { result: 'done' }, 'It is closed.');
    expect(held.details).toEqual(['It is closed.', `Account ${place.batch.account} still waits for something else.`]);
    await world.putBatch({ fileId: place.batch.file_id, batchNo: 1 }, 'reconciled');
    const free = await sayResolved(contextFor(false), 'close-in-doubt', place, { result: 'done' }, 'It is closed.');
    expect(free.details?.[1]).toBe(`Account ${place.batch.account} continues automatically.`);
    expect(free.json).toMatchObject({ batchNo: 1, result: 'done', state: 'reconciled' });
    await pauseAccount(world.ledger, place.batch.account, { actor: 'operator:ada', reason: 'wait' });
    expect(
      (await sayResolved(contextFor(false), 'close-in-doubt', place, { result: 'done' }, '')).details?.[1],
    ).toContain('still waits');
  });

  it('says that a proposal has done nothing yet', async () => {
    const done = await sayResolved(
      contextFor(true),
      'close-in-doubt',
      await doubt(),
      { result: 'proposed', proposalNo: 7 },
      'It is closed.',
    );
    expect(done.says).toContain('Another person must confirm it; nothing is done yet.');
    expect(done).toMatchObject({
      next: [{ to: 'proposals', proposalNo: 7 }],
      status: 'unknownOpen',
      json: { verb: 'close-in-doubt', name: 'monday.csv', proposalNo: 7, state: 'unknown' },
    });
  });
});

const secondPerson = { refunds: false, overrides: false, resolutions: false };
const account = { ...ACCOUNT, secondPerson };

function says(change: Partial<InDoubt> = {}, context = {}): string[] {
  return resolutionOptions(foundDoubt(change), { account, calledAt: CALLED_AT, ...context }).map((way) =>
    way.says.join(' '),
  );
}

function neighbour(batchId: string) {
  return { fileId: 'f', batchNo: 1, batchId, submittedAt: CALLED_AT };
}

describe('resolutionOptions', () => {
  it('has every way, the safest first', () => {
    const ways = resolutionOptions(foundDoubt(), { account, calledAt: CALLED_AT });
    expect(ways.map(({ action }) => action)).toEqual(['adopt', 'probe', 'journal', 'not-received', 'close-in-doubt']);
  });

  it('offers the id that the service named too late', () => {
    const late = { at: CALLED_AT, reason: 'the service gave it an id', evidence: { batchId: '10 02' } };
    const [adopt] = resolutionOptions(foundDoubt({ lateAnswers: [late] }), { account, calledAt: CALLED_AT });
    expect(adopt!.given).toEqual([{ label: 'Compare with batch id 10 02', filled: { batchId: '10 02' } }]);
    expect(resolutionOptions(foundDoubt(), { account, calledAt: CALLED_AT })[0]!.given).toBeUndefined();
  });

  it('says where to look by the ids around it, or that there are none', () => {
    const [, known] = says({ before: neighbour('1000'), after: neighbour('1010') });
    expect(known).toContain('1000 before it and 1010 after it. Its id would be from 1001 to 1009.');
    expect(says()[1]).toContain('The account has no other batch to compare with');
  });

  it('says which report to fetch, by the time of the service, and from when it may be declared not received', () => {
    const [, , journal, notReceived] = says();
    expect(journal).toContain('approved credit card payments');
    expect(journal).toContain('2026-06-15 03:00 in the time of the service');
    expect(notReceived).toContain('This is possible from 2026-06-16 06:00:00 -04:00 on.');
  });

  it('says when a second person is needed, and does without an account that has left the configuration', () => {
    const paired = { account: { ...account, secondPerson: { ...secondPerson, resolutions: true } } };
    expect(says({}, paired).filter((words) => words.includes('Another person'))).toHaveLength(2);
    expect(says().filter((words) => words.includes('Another person'))).toEqual([]);
    const gone = says({}, { account: undefined });
    expect(gone[2]).toContain('from a day before the call');
    expect(gone[3]).not.toContain('This is possible');
  });
});

const FAST = { pauseMs: 0 };

describe('probeIds', () => {
  it('says of every id of the range what stands under it, and changes nothing', async () => {
    const batch = await doubtfulBatch(world, { account: 'probed' });
    await world.batchIn('reconciled', { account: 'probed' });
    await world.force(`UPDATE batch SET batch_id = '1005' WHERE account = 'probed' AND state = 'reconciled'`);
    const running: ResultAnswer = { kind: 'running', text: 'wait' };
    const failed: ResultAnswer = { kind: 'failed', why: 'reset' };
    const answers = {
      1001: resultOf({ file_id: 'other' }),
      1002: resultOf(batch, [2]),
      1003: running,
      1004: failed,
      1006: resultOf(batch),
    };
    const asked: string[] = [];
    const context = await contextAt(world, batch, { answers });
    const onAsk = (done: number, of: number) => asked.push(`${done}/${of}`);
    const probe = await probeIds(context, { from: '1000', to: '1006' }, { ...FAST, onAsk });
    expect(probe).toEqual({
      asked: 6,
      matches: ['1006'],
      nearMisses: [expect.objectContaining({ batchId: '1002', alike: 1 })],
      known: [expect.objectContaining({ batchId: '1005', batchNo: 1 })],
      running: ['1003'],
      others: 1,
      notKnown: 1,
      failed: 1,
    });
    expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6].map((done) => `${done}/7`));
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });

  it('goes on after a match, because a second one would say that the batch was taken twice', async () => {
    const batch = await doubtfulBatch(world);
    const answers = { '0098': resultOf(batch), '0100': resultOf(batch) };
    const probe = await probeIds(await contextAt(world, batch, { answers }), { from: '0098', to: '0100' }, FAST);
    expect(probe).toMatchObject({ matches: ['0098', '0100'], asked: 3 });
  });

  it('stops when the service does not answer any more', async () => {
    const batch = await doubtfulBatch(world);
    const gateway = { fetchBatchResult: async () => ({ kind: 'failed', why: 'down' }) as const };
    const probe = await probeIds(await contextAt(world, batch, { gateway }), { from: '1', to: '100' }, FAST);
    expect(probe).toMatchObject({ asked: 5, failed: 5, stopped: expect.stringContaining('5 times in a row') });
  });

  it.each([
    ['20', '10', 'the second id is smaller'],
    ['1', String(MOST_IDS + 1), `these are ${MOST_IDS + 1} ids`],
    ['a1', 'a9', 'that are plain numbers'],
  ])('takes no range %s..%s', async (from, to, words) => {
    const batch = await doubtfulBatch(world);
    const probing = probeIds(await contextAt(world, batch), { from, to }, FAST);
    await expect(probing).rejects.toThrow(words);
    await expect(probing).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('looks for nothing that is not in doubt', async () => {
    const batch = await world.batchIn('sending');
    const probing = probeIds(await contextAt(world, batch), { from: '1', to: '2' }, FAST);
    await expect(probing).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});

describe('suggestRange', () => {
  it.each([
    ['1000', '1010', { from: '1001', to: '1009' }],
    ['1000', undefined, { from: '1001', to: '1050' }],
    [undefined, '1010', { from: '960', to: '1009' }],
    [undefined, '10', { from: '0', to: '9' }],
    ['1000', '9000', { from: '1001', to: '2000' }],
    ['1000', '1001', undefined],
    ['A1', 'A9', undefined],
    [undefined, undefined, undefined],
  ])('between %s and %s', (before, after, range) => {
    expect(suggestRange(before, after)).toEqual(range);
  });
});
