import { describe, expect, it } from 'vitest';
import { BATCH_MOVES, BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { saidState } from '../../../schemas/shown.ts';
import { cancelBatch, cancelFile } from '../../../src/ledger/file/cancel-file.ts';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import { readBatches, readBatchRow, readFileRow, readFileState } from '../../../src/ledger/file/read-file.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger } from '../../support/ledger-world.ts';
import { approveFile, declineFile, proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { type Call } from '../../../src/ledger/batch/commit-send.ts';
import { declareCall, declareNow } from '../../support/calls.ts';

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'the sender recalls it', evidence: { call: '10:15' } };
const STOPPABLE: readonly (string | null)[] = BATCH_MOVES.filter(({ to }) => to === 'cancelled').map(
  ({ from }) => from,
);
const batchStates = Object.keys(BATCH_STATES) as BatchState[];

async function statesOf(fileId: string): Promise<string[]> {
  return (await readBatches(world.ledger, fileId)).map((batch) => batch.state);
}

describe('cancelFile', () => {
  it('cancels a file of which nothing was sent, with every batch', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 3 });
    expect(await cancelFile(world.ledger, fileId, because)).toEqual({
      state: 'cancelled',
      cancelled: [1, 2, 3],
      goingOn: [],
    });
    expect(await statesOf(fileId)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    const links = (await world.links(fileId)).filter((link) => link.move === 'cancel');
    expect(links.map((link) => link.batch_no)).toEqual([1, 2, 3, null]);
    for (const link of links) expect(link).toMatchObject(because);
  });

  it('cancels one that has no batch at all', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 0, withheld: 2 });
    expect(await cancelFile(world.ledger, fileId, because)).toMatchObject({ state: 'cancelled' });
  });

  it('takes a batch from the worker that has just taken it up, who then cannot send it', async () => {
    const batch = await world.call({ batches: 2 });
    expect(await cancelFile(world.ledger, batch.file_id, because)).toMatchObject({ state: 'cancelled' });
    expect(await declareCall(world.ledger, batch)).toBe(false);
    expect(await statesOf(batch.file_id)).toEqual(['cancelled', 'cancelled']);
  });

  it.each([
    ['reconciled', 'partly_cancelled'],
    ['cancelled', 'partly_cancelled'],
    ['sending', 'in_progress'],
    ['unknown', 'in_progress'],
    ['submitted', 'in_progress'],
    ['result_in', 'in_progress'],
    ['exception', 'in_progress'],
  ] as const)('stops the rest of a file of which a batch is %s: it is %s then', async (state, end) => {
    const { file_id: fileId } = await world.accepted({ batches: 4 });
    await world.putFile(fileId, 'in_progress');
    await world.putBatch({ fileId, batchNo: 1 }, state);
    await world.putBatch({ fileId, batchNo: 3 }, 'refused');
    const done = await cancelFile(world.ledger, fileId, because);
    expect(done).toMatchObject({ state: end, cancelled: [2, 3, 4] });
    expect(done.goingOn).toEqual(end === 'in_progress' ? [{ batchNo: 1, state }] : []);
    expect(await statesOf(fileId)).toEqual([state, 'cancelled', 'cancelled', 'cancelled']);
    expect(await readFileState(world.ledger, fileId)).toBe(end);
  });

  it('refuses a file of which every batch was sent', async () => {
    const batch = await world.sending();
    await expect(cancelFile(world.ledger, batch.file_id, because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
      message: expect.stringContaining('every batch was already sent'),
    });
  });

  it.each(['held', 'completed'] as const)('refuses a file that is %s and leaves its batches alone', async (state) => {
    const { file_id: fileId } = await world.accepted();
    await world.putFile(fileId, state);
    await expect(cancelFile(world.ledger, fileId, because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
      message: expect.stringContaining(state === 'held' ? 'paydrop decline' : `its state is ${saidState(state)}`),
    });
    expect(await statesOf(fileId)).toEqual(['ready']);
  });

  it('refuses a file that the ledger does not know', async () => {
    await expect(cancelFile(world.ledger, 'nosuchfile', because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });

  it('ends what was proposed for the file', async () => {
    const { file_id: fileId } = await world.accepted();
    await transact(world.ledger, (tx) => propose(tx, { action: 'approve', fileId, binding: {}, ...because }));
    await cancelFile(world.ledger, fileId, because);
    const { rows } = await world.ledger.pool.query('SELECT verdict FROM proposal WHERE file_id = $1', [fileId]);
    expect(rows).toEqual([{ verdict: 'void' }]);
  });

  it('wins or loses as a whole against a send at the same moment', async () => {
    const batches: Call[] = [];
    for (let n = 0; n < 20; n += 1) batches.push(await world.call());
    const meetings = batches.map(async (batch) => {
      const [isSent, cancel] = await Promise.all([
        declareCall(world.ledger, batch),
        cancelFile(world.ledger, batch.file_id, because).then(
          () => 'cancelled',
          () => 'refused',
        ),
      ]);
      const { state } = await readBatchRow(world.ledger, keyOf(batch));
      expect([isSent, cancel, state]).toEqual(
        isSent ? [true, 'refused', 'sending'] : [false, 'cancelled', 'cancelled'],
      );
    });
    await Promise.all(meetings);
  });

  it('wins against a job that takes the batch up later', async () => {
    const { file_id: fileId } = await world.accepted();
    await cancelFile(world.ledger, fileId, because);
    expect(await declareNow(world.ledger, { fileId, batchNo: 1 })).toBeUndefined();
  });
});

describe('cancelBatch', () => {
  it.each(batchStates)('of a batch that is %s does what its state allows', async (state) => {
    const batch = await world.batchIn(state, { batches: 2 });
    await world.putFile(batch.file_id, 'in_progress');
    const cancelling = cancelBatch(world.ledger, keyOf(batch), because);
    if (STOPPABLE.includes(state)) {
      expect(await cancelling).toEqual({
        state: 'in_progress',
        cancelled: [1],
        goingOn: [{ batchNo: 2, state: 'ready' }],
      });
      expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('cancelled');
    } else {
      await expect(cancelling).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
      expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe(state);
    }
  });

  it('of the last batch cancels the file', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 2 });
    expect(await cancelBatch(world.ledger, { fileId, batchNo: 1 }, because)).toMatchObject({ state: 'accepted' });
    expect(await cancelBatch(world.ledger, { fileId, batchNo: 2 }, because)).toMatchObject({ state: 'cancelled' });
  });
});

describe('approveFile', () => {
  it('lets no file go of which nothing could be sent', async () => {
    const { file_id: fileId } = await world.held();
    await world.force('UPDATE file SET valid_rows = 0 WHERE file_id = $1', [fileId]);
    await expect(approveFile(world.ledger, fileId, because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
      message: expect.stringContaining('it has no rows to send; decline it'),
    });
  });

  it('accepts a held file, whose batches may be sent from then on, and keeps why it was held', async () => {
    const { file_id: fileId } = await world.held({ batches: 2 });
    const key = { fileId, batchNo: 1 };
    expect(await declareNow(world.ledger, key)).toBeUndefined();
    await approveFile(world.ledger, fileId, because);
    expect(await readFileRow(world.ledger, fileId)).toMatchObject({
      state: 'accepted',
      reason_code: 'CONTROL_TOTALS',
      reason: 'hold it',
    });
    expect((await world.links(fileId)).slice(2)).toEqual([
      { ...because, batch_no: null, move: 'approve', from_state: 'held', to_state: 'accepted' },
    ]);
    expect(await declareNow(world.ledger, key)).toBeDefined();
  });

  it('refuses a file that is not held', async () => {
    const { file_id: fileId } = await world.held();
    await world.putFile(fileId, 'cancelled');
    await expect(approveFile(world.ledger, fileId, because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
      message: expect.stringContaining(`approve file "${fileId}"`),
    });
    expect((await readFileRow(world.ledger, fileId)).state).toBe('cancelled');
    expect(await world.links(fileId)).toHaveLength(2);
  });

  it('refuses a file that the ledger does not know', async () => {
    await expect(approveFile(world.ledger, 'nosuchfile', because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});

describe('proposeApproval', () => {
  it('proposes no file of which nothing could be sent, or that was never read', async () => {
    for (const rows of ['0', 'NULL']) {
      const { file_id: fileId } = await world.held();
      await world.force(`UPDATE file SET valid_rows = ${rows} WHERE file_id = $1`, [fileId]);
      await expect(proposeApproval(world.ledger, fileId, because)).rejects.toMatchObject({
        code: 'MOVE_REFUSED',
        message: expect.stringContaining('it has no rows to send; decline it'),
      });
    }
  });
});

describe('declineFile', () => {
  it('cancels a held file and every batch of it, with a link for each', async () => {
    const { file_id: fileId } = await world.held({ batches: 2 });
    await declineFile(world.ledger, fileId, because);
    expect((await readFileRow(world.ledger, fileId)).state).toBe('cancelled');
    expect((await readBatches(world.ledger, fileId)).map((batch) => batch.state)).toEqual(['cancelled', 'cancelled']);
    const link = { ...because, to_state: 'cancelled' };
    expect((await world.links(fileId)).slice(2)).toEqual([
      { ...link, batch_no: null, move: 'decline', from_state: 'held' },
      { ...link, batch_no: 1, move: 'cancel', from_state: 'ready' },
      { ...link, batch_no: 2, move: 'cancel', from_state: 'ready' },
    ]);
  });

  it('refuses a file that is not held, and leaves its batches alone', async () => {
    const { file_id: fileId } = await world.held();
    await world.putFile(fileId, 'accepted');
    await expect(declineFile(world.ledger, fileId, because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect((await readFileRow(world.ledger, fileId)).state).toBe('accepted');
    expect((await readBatches(world.ledger, fileId)).map((batch) => batch.state)).toEqual(['ready']);
    expect(await world.links(fileId)).toHaveLength(2);
  });

  it('refuses a file with a batch that may have been sent before the ledger was restored', async () => {
    const { file_id: fileId } = await world.held({ batches: 2 });
    await world.putBatch({ fileId, batchNo: 2 }, 'unknown');
    await expect(declineFile(world.ledger, fileId, because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
      message: expect.stringContaining('batch 2 of it may have been sent'),
    });
    expect((await readFileRow(world.ledger, fileId)).state).toBe('held');
  });

  it('cancels the rest of a held file once each batch that may have been sent is decided', async () => {
    const { file_id: fileId } = await world.held({ batches: 3 });
    await world.putBatch({ fileId, batchNo: 1 }, 'reconciled');
    await world.putBatch({ fileId, batchNo: 3 }, 'refused');
    await declineFile(world.ledger, fileId, because);
    expect((await readFileRow(world.ledger, fileId)).state).toBe('partly_cancelled');
    expect((await readBatches(world.ledger, fileId)).map((batch) => batch.state)).toEqual([
      'reconciled',
      'cancelled',
      'cancelled',
    ]);
    const moves = (await world.links(fileId)).slice(-3).map(({ move, batch_no: batchNo }) => [move, batchNo]);
    expect(moves).toEqual([
      ['decline-rest', null],
      ['cancel', 2],
      ['withdraw', 3],
    ]);
  });

  it('lets the same bytes come again', async () => {
    const { file_id: fileId, account, sha256 } = await world.held();
    await declineFile(world.ledger, fileId, because);
    const again = await world.claimed({ account, sha256 });
    expect((await world.putFile(again.file_id, 'held')).state).toBe('held');
  });

  it('leaves one verdict when two people decide at the same moment', async () => {
    const { file_id: fileId } = await world.held({ batches: 3 });
    const both = await Promise.allSettled([
      approveFile(world.ledger, fileId, because),
      declineFile(world.ledger, fileId, because),
    ]);
    expect(both.map((end) => end.status).sort()).toEqual(['fulfilled', 'rejected']);
    const { state } = await readFileRow(world.ledger, fileId);
    const batchState = state === 'accepted' ? 'ready' : 'cancelled';
    expect((await readBatches(world.ledger, fileId)).map((batch) => batch.state)).toEqual(Array(3).fill(batchState));
  });
});
