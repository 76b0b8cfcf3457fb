import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { readReprocess, sumOf } from '../../../src/ledger/reprocess/judge-items.ts';
import { type AgainFilter, lastResubmission } from '../../../src/ledger/overview/may-go-again.ts';
import { selectAll } from '../../../src/ledger/reprocess/select-items.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { ADA, DECLINED, type Ended, LOST_CARD, reprocessWorld } from '../support/reprocess-world.ts';

const world = openedForTests(openTestLedger);
const { finished, learn, pick, judge, resubmit } = reprocessWorld(world);

beforeEach(() => world.empty());

describe('selectAll and judgeItems', () => {
  it('freeze every payment that may go again, an item for each file, the newest first', async () => {
    const files = [];
    for (let n = 0; n < 9; n += 1) files.push(await finished(Array.from({ length: n === 0 ? 9 : 4 }, () => DECLINED)));
    const runNo = await selectAll(world.ledger, {}, ADA);
    const { items } = await judge(runNo);
    expect(items.map(({ fileId }) => fileId)).toEqual(files.map(({ file_id: id }) => id).toReversed());
    expect(sumOf({ items })).toEqual({
      rows: 41,
      cents: items.flatMap(({ goes }) => goes!.lines).reduce((sum, line) => sum + line * 100, 0),
    });
    expect(await readReprocess(world.ledger.pool, runNo)).toMatchObject({ state: 'selected', made_by: ADA.actor });
  });

  it('take only rows of some advices, or of one file', async () => {
    const old = await finished([DECLINED, LOST_CARD]);
    const young = await finished([{ outcome: 'format_error' }, DECLINED]);
    const taken = async (filter: AgainFilter) =>
      (await judge(await selectAll(world.ledger, filter, ADA))).items.map(({ fileId, goes, left }) => [
        fileId,
        [...(goes?.lines ?? []), ...left.flatMap(({ lines }) => lines)],
      ]);
    expect(await taken({ advice: ['later', 'never'], fileId: old.file_id })).toEqual([[old.file_id, [2, 3]]]);
    expect(await taken({ advice: ['later', 'fix'] })).toEqual([
      [young.file_id, [2, 3]],
      [old.file_id, [2]],
    ]);
    expect(await taken({ advice: 'later', fileId: young.file_id })).toEqual([[young.file_id, [3]]]);
    await expect(taken({ fileId: 'none' })).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });

  it('never take along a payment that turns up later', async () => {
    const file = await finished([DECLINED]);
    const runNo = await selectAll(world.ledger, { account: 'main' }, ADA);
    const before = await judge(runNo);
    await finished([DECLINED]);
    expect(await judge(runNo)).toEqual(before);
    expect(before.items).toMatchObject([{ fileId: file.file_id, goes: { lines: [2] }, left: [] }]);
  });

  it('leave out, with the reason, what was resubmitted, charged or barred since', async () => {
    const one = await finished([DECLINED, DECLINED, DECLINED]);
    const two = await finished([DECLINED, LOST_CARD]);
    const runNo = await selectAll(world.ledger, {}, ADA);
    const first = await judge(runNo);
    await world.force('UPDATE resubmission SET new_file_id = file_id WHERE resubmission_no = $1', [
      await resubmit(one, [3]),
    ]);
    await learn(two, { outcome: 'approved', code: null });
    const second = await judge(runNo);
    expect(second.items).toEqual([
      expect.objectContaining({
        fileId: two.file_id,
        goes: undefined,
        left: [
          { lines: [3], rows: 1, cents: 300, why: 'its code says not to send it again' },
          { lines: [2], rows: 1, cents: 200, why: 'its outcome is approved' },
        ],
      }),
      expect.objectContaining({
        fileId: one.file_id,
        goes: { lines: [2, 4], rows: 2, cents: 600 },
        left: [{ lines: [3], rows: 1, cents: 300, why: 'already resubmitted by bob' }],
      }),
    ]);
    expect(second.digest).not.toBe(first.digest);
  });

  it('name what was sent again since the list was shown, and not what was sent before', async () => {
    const file = await finished([DECLINED, DECLINED, DECLINED]);
    await resubmit(file, [2]);
    await world.force('UPDATE resubmission SET new_file_id = file_id');
    const listed = await lastResubmission(world.ledger);
    await resubmit(file, [4]);
    await world.force('UPDATE resubmission SET new_file_id = file_id');
    const { items } = await judge(await selectAll(world.ledger, { sentAfter: listed }, ADA));
    expect(items).toMatchObject([
      { goes: { lines: [3] }, left: [{ lines: [4], cents: 400, why: 'already resubmitted by bob' }] },
    ]);
  });

  it('wait for the file of an earlier resubmission', async () => {
    const file = await finished([DECLINED, DECLINED]);
    const runNo = await selectAll(world.ledger, {}, ADA);
    await resubmit(file, [2]);
    expect((await judge(runNo)).items[0]!.left.map(({ lines, why }) => [lines, why])).toEqual([
      [[3], 'the file of an earlier resubmission has not come back yet'],
      [[2], 'already resubmitted by bob'],
    ]);
  });

  it('refuse a filter that nothing matches', async () => {
    await expect(selectAll(world.ledger, {}, ADA)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
      message: expect.stringMatching(
        /: there are none that may go again\. Payments that were not made are selected once/,
      ),
    });
    expect((await world.ledger.pool.query('SELECT FROM reprocess_run')).rowCount).toBe(0);
  });

  it('account for every payment once, whatever became of it', async () => {
    const outcome = fc.constantFrom<Ended>(
      DECLINED,
      LOST_CARD,
      { outcome: 'format_error' },
      { outcome: 'not_charged' },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(outcome, { minLength: 1, maxLength: 6 }), fc.boolean(), async (outcomes, takes) => {
        await world.empty();
        const file = await finished(outcomes);
        const runNo = await selectAll(world.ledger, {}, ADA);
        if (takes) await resubmit(file, [2]);
        const lines = (await judge(runNo)).items.flatMap(({ goes, left }) =>
          [goes, ...left].flatMap((part) => part?.lines ?? []),
        );
        expect(lines.toSorted((one, other) => one - other)).toEqual(outcomes.map((_, index) => index + 2));
      }),
      { numRuns: 12 },
    );
  });
});

describe('selectPicked', () => {
  it('freezes rows, refused batches and lost files', async () => {
    const file = await finished([DECLINED, DECLINED]);
    const refused = await world.accepted({ account: 'side' });
    await world.putBatch({ fileId: refused.file_id, batchNo: 1 }, 'refused');
    const other = await finished([DECLINED]);
    const lost = await resubmit(other, [2]);
    const runNo = await pick({
      rows: [
        { fileId: file.file_id, line: 3 },
        { fileId: file.file_id, line: 2 },
        { fileId: file.file_id, line: 3 },
      ],
      batches: [{ fileId: refused.file_id, batchNo: 1 }],
      lost: [lost],
    });
    expect((await judge(runNo)).items).toMatchObject([
      { action: 'resubmit', fileId: file.file_id, goes: { lines: [2, 3], cents: 500 } },
      { action: 'retry', fileId: refused.file_id, batchNo: 1, goes: { lines: [] } },
      { action: 'drop-again', fileId: other.file_id, resubmissionNo: lost, goes: { rows: 1 } },
    ]);
  });

  it('refuses a forged choice as a whole, and freezes nothing', async () => {
    const file = await finished([DECLINED, { outcome: 'unknown' }]);
    const going = await world.accepted({ account: 'side' });
    const line = (n: number) => ({ fileId: file.file_id, line: n });
    await expect(pick({ rows: [line(2), line(3)] })).rejects.toThrow('its outcome is in doubt');
    await expect(pick({ rows: [line(1)] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(pick({ rows: [{ fileId: going.file_id, line: 2 }] })).rejects.toThrow('the file is queued');
    await expect(pick({ batches: [{ fileId: going.file_id, batchNo: 1 }] })).rejects.toThrow('the batch is queued');
    await expect(pick({ batches: [{ fileId: going.file_id, batchNo: 99 }] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(pick({ lost: [4711] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const table of ['reprocess_run', 'reprocess_item', 'resubmission'])
      expect((await world.ledger.pool.query(`SELECT FROM ${table}`)).rowCount, table).toBe(0);
  });
});
