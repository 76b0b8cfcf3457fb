import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILE_STATES, type FileState } from '../../../schemas/lifecycle.ts';
import { prepareBatch } from '../../../src/ledger/batch/prepare-batch.ts';
import { approveFile, declineFile, proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { readBatches, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { type LedgerWorld, LEASE_MS, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'the sender confirmed it', evidence: { call: '10:15' } };
const notHeld = (Object.keys(FILE_STATES) as FileState[]).filter((state) => state !== 'held');

describe('approveFile', () => {
  it('lets no file go of which nothing could be sent', async () => {
    const { file_id: fileId } = await world.held();
    await world.force('UPDATE file SET valid_rows = 0 WHERE file_id = $1', [fileId]);
    await expect(approveFile(world.ledger, fileId, because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
      message: expect.stringContaining('it has no row that could be sent; decline it'),
    });
  });

  it('accepts a held file, whose batches may be sent from then on, and keeps why it was held', async () => {
    const { file_id: fileId } = await world.held({ batches: 2 });
    const key = { fileId, batchNo: 1 };
    expect(await prepareBatch(world.ledger, key, LEASE_MS)).toBeUndefined();
    await approveFile(world.ledger, fileId, because);
    expect(await readFileRow(world.ledger, fileId)).toMatchObject({
      state: 'accepted',
      reason_code: 'CONTROL_TOTALS',
      reason: 'hold it',
    });
    expect((await world.links(fileId)).slice(2)).toEqual([
      { ...because, batch_no: null, move: 'approve', from_state: 'held', to_state: 'accepted' },
    ]);
    expect(await prepareBatch(world.ledger, key, LEASE_MS)).toBeDefined();
  });

  it.each(notHeld)('refuses a file that is %s', async (state) => {
    const { file_id: fileId } = await world.held();
    await world.putFile(fileId, state);
    await expect(approveFile(world.ledger, fileId, because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
      message: expect.stringContaining(`approve file "${fileId}"`),
    });
    expect((await readFileRow(world.ledger, fileId)).state).toBe(state);
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
        message: expect.stringContaining('it has no row that could be sent; decline it'),
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

  it.each(notHeld)('refuses a file that is %s, and leaves its batches alone', async (state) => {
    const { file_id: fileId } = await world.held();
    await world.putFile(fileId, state);
    await expect(declineFile(world.ledger, fileId, because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect((await readFileRow(world.ledger, fileId)).state).toBe(state);
    expect((await readBatches(world.ledger, fileId)).map((batch) => batch.state)).toEqual(['ready']);
    expect(await world.links(fileId)).toHaveLength(2);
  });

  it('refuses a file with a batch that may have been sent before the ledger was restored', async () => {
    const { file_id: fileId } = await world.held({ batches: 2 });
    await world.putBatch({ fileId, batchNo: 2 }, 'unknown');
    await expect(declineFile(world.ledger, fileId, because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
      message: expect.stringContaining('whose batch 2 may have been sent'),
    });
    expect((await readFileRow(world.ledger, fileId)).state).toBe('held');
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
