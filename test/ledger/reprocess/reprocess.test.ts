import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import { retryRefused } from '../../../src/ledger/batch/retry-refused.ts';
import { reconcileBatch } from '../../../src/ledger/batch/receive-result.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { verifyAudit } from '../../../src/ledger/file/search.ts';
import { confirmProposal, refuseProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { readOpenProposals } from '../../../src/ledger/proposal/proposals.ts';
import { judgeItems, readItems, readReprocess, sumOf } from '../../../src/ledger/reprocess/judge-items.ts';
import {
  beginReprocess,
  endItem,
  endReprocess,
  findOpenRuns,
  noteDropped,
  proposeReprocess,
  readOpenItems,
  stopReprocess,
} from '../../../src/ledger/reprocess/move-run.ts';
import { type Picked, selectAll, selectPicked } from '../../../src/ledger/reprocess/select-items.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { recordResubmission } from '../../../src/ledger/row/resubmissions.ts';
import { openTestLedger, outcomesOf } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);
const LATER = 14;
const LOST_CARD = 7;
const ADA = { actor: 'operator:ada', reason: 'the line to the bank is up again' };

type Ended = Partial<{ outcome: SentOutcome; code: number | null }>;
const DECLINED: Ended = { outcome: 'declined', code: LATER };

/** Makes a finished file of one batch. Its first row is approved, the others get these outcomes, from line 2 on. */
async function finished(outcomes: readonly Ended[], account = 'main'): Promise<FileRow> {
  const file = await world.accepted({ account, rowsPerBatch: outcomes.length + 1 });
  const batch = await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'result_in');
  const rows = outcomesOf(batch).map((row, index) => ({ ...row, ...outcomes[index] }));
  await reconcileBatch(world.ledger, { fileId: file.file_id, batchNo: 1 }, file.file_no, rows, {});
  return world.putFile(file.file_id, 'completed');
}

/** Changes what is known of the row in line 2. */
async function learn(file: FileRow, change: Ended): Promise<void> {
  const key = { fileId: file.file_id, batchNo: 1 };
  const [first] = outcomesOf(await world.putBatch(key, 'reconciled'));
  const by = { actor: 'worker:poll', reason: 'late', source: 'asked again' };
  await transact(world.ledger, (tx) => changeOutcomes(tx, key, [{ ...first!, ...change }], by));
}

const pick = (picked: Partial<Picked>) =>
  selectPicked(world.ledger, { rows: [], batches: [], lost: [], ...picked }, ADA);
const judge = (runNo: number) => judgeItems(world.ledger.pool, runNo);

async function resubmit(file: FileRow, lines: number[], actor = 'operator:bob'): Promise<number> {
  const order = { name: `again-${lines[0]}.csv`, sha256: 'a', lines, cents: 200 };
  return recordResubmission(world.ledger, file, order, { actor, reason: 'by hand' });
}

async function begun(runNo: number): Promise<void> {
  const { digest } = await judge(runNo);
  await beginReprocess(world.ledger, runNo, { digest, name: 'Declines of June' }, ADA);
}

const ended = async (runNo: number) =>
  (await readItems(world.ledger, runNo)).map(({ action, lines, result, says }) => [action, lines, result, says]);

beforeEach(() => world.empty());

describe('selectAll and judgeItems', () => {
  it('freeze every payment that may go again, an item for each file, the newest first', async () => {
    const files = [];
    for (let n = 0; n < 9; n += 1) files.push(await finished(Array.from({ length: n === 0 ? 9 : 4 }, () => DECLINED)));
    const runNo = await selectAll(world.ledger, {}, ADA);
    const { items } = await judge(runNo);
    expect(items.map(({ fileId }) => fileId)).toEqual(files.map(({ file_id: id }) => id).toReversed());
    expect(sumOf({ items, digest: '' })).toEqual({
      rows: 41,
      cents: items.flatMap(({ goes }) => goes!.lines).reduce((sum, line) => sum + line * 100, 0),
    });
    expect(await readReprocess(world.ledger.pool, runNo)).toMatchObject({ state: 'selected', made_by: ADA.actor });
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
    const two = await finished([DECLINED, { outcome: 'declined', code: LOST_CARD }]);
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
    await expect(selectAll(world.ledger, {}, ADA)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect((await world.ledger.pool.query('SELECT FROM reprocess_run')).rowCount).toBe(0);
  });

  it('account for every payment once, whatever became of it', async () => {
    const outcome = fc.constantFrom<Ended>(
      DECLINED,
      { outcome: 'declined', code: LOST_CARD },
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

describe('beginReprocess', () => {
  it('begins one run, however many people click', async () => {
    await finished([DECLINED]);
    const runNo = await selectAll(world.ledger, {}, ADA);
    const { digest } = await judge(runNo);
    const clicks = await Promise.all(
      Array.from({ length: 8 }, () => beginReprocess(world.ledger, runNo, { digest, name: 'Declines' }, ADA)),
    );
    expect(new Set(clicks.map(({ state, run_no: no }) => `${no} ${state}`))).toEqual(new Set([`${runNo} running`]));
    const { rows } = await world.ledger.pool.query(`SELECT evidence FROM audit WHERE move = 'begin-reprocess'`);
    expect(rows).toEqual([{ evidence: { selection: runNo, name: 'Declines', rows: 1, cents: 200 } }]);
    expect(await verifyAudit(world.ledger)).toBeUndefined();
  });

  it('does nothing when the plan is not the one that was seen', async () => {
    const file = await finished([DECLINED, DECLINED]);
    const runNo = await selectAll(world.ledger, {}, ADA);
    const { digest } = await judge(runNo);
    await resubmit(file, [2]);
    await expect(beginReprocess(world.ledger, runNo, { digest, name: 'Declines' }, ADA)).rejects.toThrow(
      'has changed since its plan was shown',
    );
    expect(await readReprocess(world.ledger.pool, runNo)).toMatchObject({ state: 'selected', name: null });
  });

  it('keeps what is left out as items of their own', async () => {
    const file = await finished([DECLINED, { outcome: 'declined', code: LOST_CARD }, DECLINED]);
    const runNo = await selectAll(world.ledger, {}, ADA);
    await begun(runNo);
    expect(await ended(runNo)).toEqual([
      ['resubmit', [2, 4], null, null],
      ['resubmit', [3], 'left_out', 'its code says not to send it again'],
    ]);
    expect(await readOpenItems(world.ledger, runNo, file.site)).toMatchObject([
      { fileId: file.file_id, lines: [2, 4] },
    ]);
    expect(await readOpenItems(world.ledger, runNo, 'elsewhere')).toEqual([]);
    expect(await findOpenRuns(world.ledger, file.site)).toEqual([runNo]);
    expect(await findOpenRuns(world.ledger, 'elsewhere')).toEqual([]);
  });

  it('refuses when nothing goes', async () => {
    await finished([{ outcome: 'declined', code: LOST_CARD }]);
    await expect(begun(await selectAll(world.ledger, {}, ADA))).rejects.toThrow('none of it may go again');
  });
});

describe('endItem and endReprocess', () => {
  it('end an item once, with the rows that it records, and the run after the last file has its name', async () => {
    const file = await finished([DECLINED]);
    const runNo = await selectAll(world.ledger, {}, ADA);
    await begun(runNo);
    const key = { runNo, itemNo: 1 };
    const order = { name: 'again.csv', sha256: 'a', lines: [2], cents: 200 };
    const record = () =>
      recordResubmission(world.ledger, file, order, ADA, (tx, resubmissionNo) =>
        endItem(tx, key, { result: 'done', says: 'sent again', resubmissionNo }),
      );
    const number = await record();
    expect(await readOpenItems(world.ledger, runNo, file.site)).toMatchObject([{ resubmissionNo: number }]);
    expect(await endReprocess(world.ledger, runNo, ADA)).toBe(false);
    await noteDropped(world.ledger, key);
    expect(await endReprocess(world.ledger, runNo, ADA)).toBe(true);
    expect(await endReprocess(world.ledger, runNo, ADA)).toBe(false);
    expect(await readReprocess(world.ledger.pool, runNo)).toMatchObject({ state: 'ended' });
    expect(await findOpenRuns(world.ledger, file.site)).toEqual([]);
  });

  it('record no row for an item that was stopped meanwhile', async () => {
    const file = await finished([DECLINED]);
    const runNo = await selectAll(world.ledger, {}, ADA);
    await begun(runNo);
    expect(await stopReprocess(world.ledger, runNo, { actor: 'operator:ann', reason: 'wrong day' })).toEqual({
      leftOut: 1,
    });
    const order = { name: 'again.csv', sha256: 'a', lines: [2], cents: 200 };
    const record = recordResubmission(world.ledger, file, order, ADA, (tx, resubmissionNo) =>
      endItem(tx, { runNo, itemNo: 1 }, { result: 'done', says: 'sent again', resubmissionNo }),
    );
    await expect(record).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect((await world.ledger.pool.query('SELECT FROM resubmission')).rowCount).toBe(0);
    expect(await ended(runNo)).toEqual([['resubmit', [2], 'left_out', 'stopped by ann']]);
    expect(await endReprocess(world.ledger, runNo, ADA)).toBe(true);
  });
});

describe('a refused batch of a selection', () => {
  it('is sent again by the refusal that was seen, and by no later one', async () => {
    const file = await world.accepted({ account: 'main' });
    const key = { fileId: file.file_id, batchNo: 1 };
    await world.putBatch(key, 'refused');
    const runNo = await pick({ batches: [key] });
    await begun(runNo);
    const [item] = await readOpenItems(world.ledger, runNo, file.site);
    await world.force('UPDATE batch SET attempt = attempt + 1 WHERE file_id = $1 AND batch_no = 1', [file.file_id]);
    expect((await judge(runNo)).items[0]!.left).toMatchObject([{ why: 'the batch was sent again meanwhile' }]);
    const send = (attempt: number) => retryRefused(world.ledger, key, ADA, { attempt });
    await expect(send(item!.attempt!)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    await send(item!.attempt! + 1);
  });
});

describe('proposeReprocess', () => {
  const BOB = 'operator:bob';

  async function proposed() {
    await finished([DECLINED]);
    const runNo = await selectAll(world.ledger, {}, ADA);
    const { digest } = await judge(runNo);
    const no = await proposeReprocess(world.ledger, runNo, { digest, name: 'Declines of June' }, ADA);
    return { runNo, digest, no };
  }

  it('lets another person begin it, and not its maker', async () => {
    const { runNo, no } = await proposed();
    expect(await readOpenProposals(world.ledger)).toMatchObject([
      { action: 'reprocess', name: 'Declines of June', run_no: runNo, rows: 1, cents: 200, file_state: 'selected' },
    ]);
    await expect(confirmProposal(world.ledger, no, ADA.actor)).rejects.toMatchObject({ code: 'SECOND_PERSON' });
    await confirmProposal(world.ledger, no, BOB);
    expect(await readReprocess(world.ledger.pool, runNo)).toMatchObject({
      state: 'running',
      begun_by: BOB,
      name: 'Declines of June',
      reason: ADA.reason,
    });
  });

  it('is void when what may go again has changed', async () => {
    const { runNo, no } = await proposed();
    const [item] = (await judge(runNo)).items;
    await learn(await world.putFile(item!.fileId, 'completed'), { outcome: 'approved', code: null });
    await expect(confirmProposal(world.ledger, no, BOB)).rejects.toMatchObject({ code: 'PROPOSAL_VOID' });
    expect(await readReprocess(world.ledger.pool, runNo)).toMatchObject({ state: 'selected' });
  });

  it('can be proposed once at a time, and again after a refusal', async () => {
    const { runNo, digest, no } = await proposed();
    const again = () => proposeReprocess(world.ledger, runNo, { digest, name: 'again' }, ADA);
    await expect(again()).rejects.toMatchObject({ code: 'PROPOSAL_OPEN' });
    await refuseProposal(world.ledger, no, { actor: BOB, reason: 'not today' });
    expect(await again()).toBeGreaterThan(no);
  });
});
