import { beforeEach, describe, expect, it } from 'vitest';
import { retryRefused } from '../../../src/ledger/batch/retry-refused.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import { confirmProposal, refuseProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { readOpenProposals } from '../../../src/ledger/proposal/proposals.ts';
import { listAgain } from '../../../src/ledger/overview/may-go-again.ts';
import {
  listRuns,
  readItems,
  readPayments,
  readReprocess,
  sumItems,
} from '../../../src/ledger/reprocess/judge-items.ts';
import {
  beginReprocess,
  endItem,
  endReprocess,
  findOpenRuns,
  leaveOutForgotten,
  noteDropped,
  proposeReprocess,
  readOpenItems,
  stopReprocess,
} from '../../../src/ledger/reprocess/move-run.ts';
import { selectAll } from '../../../src/ledger/reprocess/select-items.ts';
import { recordResubmission } from '../../../src/ledger/row/resubmissions.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { ADA, DECLINED, lostCall, LOST_CARD, reprocessWorld } from '../support/reprocess-world.ts';

const world = openedForTests(openTestLedger);
const { finished, learn, pick, judge, resubmit, begun } = reprocessWorld(world);

const ended = async (runNo: number) =>
  (await readItems(world.ledger, runNo)).map(({ action, lines, result, explanation }) => [
    action,
    lines,
    result,
    explanation,
  ]);

beforeEach(() => world.empty());

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
    expect((await verifyAudit(world.ledger)).brokenAt).toBeUndefined();
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
    const file = await finished([DECLINED, LOST_CARD, DECLINED]);
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
    await finished([LOST_CARD]);
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
        endItem(tx, key, { result: 'done', explanation: 'sent again', resubmissionNo }),
      );
    const number = await record();
    expect(await readOpenItems(world.ledger, runNo, file.site)).toMatchObject([{ resubmissionNo: number }]);
    expect(await endReprocess(world.ledger, runNo, ADA)).toBe(false);
    await noteDropped(world.ledger, key);
    expect(await endReprocess(world.ledger, runNo, ADA)).toBe(true);
    expect(await endReprocess(world.ledger, runNo, ADA)).toBe(false);
    const shown = [{ run_no: runNo, state: 'ended', rows: 1, done: 1, left: 0 }];
    expect(await listRuns(world.ledger, 5)).toMatchObject(shown);
    expect(await listRuns(world.ledger, 5, world.clock.now())).toMatchObject(shown);
    expect(await listRuns(world.ledger, 5, new Date(world.clock.now().getTime() + 1))).toEqual([]);
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
      endItem(tx, { runNo, itemNo: 1 }, { result: 'done', explanation: 'sent again', resubmissionNo }),
    );
    await expect(record).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect((await world.ledger.pool.query('SELECT FROM resubmission')).rowCount).toBe(0);
    expect(await ended(runNo)).toEqual([['resubmit', [2], 'left_out', 'stopped by ann']]);
    expect(await endReprocess(world.ledger, runNo, ADA)).toBe(true);
  });
});

describe('readPayments, sumItems and the rows that a run left', () => {
  const payments = async (runNo: number, after = { itemNo: 0, line: 0 }, limit = 100) =>
    (await readPayments(world.ledger, runNo, after, limit)).map(({ itemNo, line, result }) => [itemNo, line, result]);

  it('tell each payment of rows, of a refused batch and of a lost file once, page by page', async () => {
    const file = await finished([DECLINED, LOST_CARD]);
    const lost = await resubmit(await finished([DECLINED, DECLINED]), [2, 3]);
    const sent = await world.accepted({ account: 'main', rowsPerBatch: 2 });
    await world.putBatch({ fileId: sent.file_id, batchNo: 1 }, 'refused');
    const batch = await pick({ batches: [{ fileId: sent.file_id, batchNo: 1 }], lost: [lost] });
    expect((await payments(batch)).map(([item]) => item)).toEqual([1, 1, 2, 2]);
    const runNo = await selectAll(world.ledger, { fileId: file.file_id }, ADA);
    await begun(runNo);
    const all = [
      [1, 2, null],
      [2, 3, 'left_out'],
    ];
    expect(await payments(runNo)).toEqual(all);
    expect(await payments(runNo, { itemNo: 0, line: 0 }, 1)).toEqual([all[0]]);
    expect(await payments(runNo, { itemNo: 1, line: 2 })).toEqual([all[1]]);
    expect(await sumItems(world.ledger, runNo)).toEqual([
      { account: 'main', result: 'left_out', items: 1, rows: 1, cents: 300 },
      { account: 'main', result: null, items: 1, rows: 1, cents: 200 },
    ]);
    const [first] = await readItems(world.ledger, runNo, 1);
    expect(first).toMatchObject({ itemNo: 2, result: 'left_out' });
  });

  it('are selected again, as far as they still may go', async () => {
    const file = await finished([DECLINED, DECLINED, LOST_CARD]);
    await finished([DECLINED]);
    const runNo = await selectAll(world.ledger, { fileId: file.file_id }, ADA);
    await begun(runNo);
    const left = () => listAgain(world.ledger, { leftBy: runNo, advice: 'later' }, { limit: 100 });
    expect(await left()).toEqual([]);
    await stopReprocess(world.ledger, runNo, ADA);
    expect((await left()).map(({ fileId, line }) => [fileId, line])).toEqual([
      [file.file_id, 2],
      [file.file_id, 3],
    ]);
  });
});

describe('leaveOutForgotten', () => {
  it('leaves out what is left when an older copy of the ledger was restored; until then no item can be done', async () => {
    const file = await finished([DECLINED, DECLINED]);
    const other = await finished([DECLINED], 'side');
    const runNo = await selectAll(world.ledger, {}, ADA);
    await begun(runNo);
    await world.force(lostCall('main'), []);
    const order = { name: 'again.csv', sha256: 'a', lines: [2, 3], cents: 500 };
    const record = recordResubmission(world.ledger, file, order, ADA, (tx, resubmissionNo) =>
      endItem(tx, { runNo, itemNo: 2 }, { result: 'done', explanation: 'sent again', resubmissionNo }),
    );
    await expect(record).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    await leaveOutForgotten(world.ledger, runNo);
    expect(await ended(runNo)).toEqual([
      ['resubmit', [2], null, null],
      ['resubmit', [2, 3], 'left_out', expect.stringContaining('calls of the account that the ledger had lost')],
    ]);
    expect(await readOpenItems(world.ledger, runNo, other.site)).toMatchObject([{ fileId: other.file_id }]);
    const later = await judge(await selectAll(world.ledger, { account: 'main' }, ADA));
    expect(later.items).toMatchObject([{ goes: { lines: [2, 3] }, left: [] }]);
  });

  it('shows in the plan of a selection that was made before', async () => {
    await finished([DECLINED]);
    const runNo = await selectAll(world.ledger, {}, ADA);
    await world.force(lostCall('main'), []);
    expect((await judge(runNo)).items[0]).toMatchObject({ goes: undefined, left: [{ lines: [2], rows: 1 }] });
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
