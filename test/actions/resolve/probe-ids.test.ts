import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultAnswer } from '../../../src/gateway/answers.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { MOST_IDS, probeIds, suggestRange } from '../../../src/actions/resolve/probe-ids.ts';
import { keyOf, type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { contextAt, doubtfulBatch, resultOf } from '../../workers/support/resolve-context.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

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
