import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cutBatch, type NewBatch } from '../../../src/ledger/row/copy-rows.ts';
import { readBatches } from '../../../src/ledger/file/read-file.ts';
import { readSealedPart } from '../../../src/ledger/batch/read-sealed-part.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

function batchOf(file: FileRow, batchNo = 1): NewBatch {
  return {
    fileId: file.file_id,
    batchNo,
    account: file.account,
    operation: file.operation,
    rows: 500,
    cents: 4_500_000_000_000,
    firstLine: 2,
    lastLine: 510,
    bodySha256: 'ab'.repeat(32),
    sealedBody: Buffer.from([0, 1, 2, 255]),
  };
}

describe('cutBatch', () => {
  it("keeps a batch that is ready, in nobody's hands, with its sealed bytes", async () => {
    const file = await world.claimed();
    await transact(world.ledger, (tx) => cutBatch(tx, batchOf(file)));
    expect(await readBatches(world.ledger, file.file_id)).toEqual([
      {
        file_id: file.file_id,
        batch_no: 1,
        account: file.account,
        operation: 'ach-charge',
        state: 'ready',
        state_at: new Date(START),
        reason: null,
        attempt: 1,
        rows: 500,
        cents: 4_500_000_000_000,
        first_line: 2,
        last_line: 510,
        body_sha256: 'ab'.repeat(32),
        token: null,
        worker: null,
        lease_until: null,
        not_before: null,
        releases: 0,
        batch_id: null,
        submitted_at: null,
        polls: 0,
        next_poll_at: null,
        not_known_polls: 0,
        result_at: null,
        result_sha256: null,
        rechecks: 0,
        next_recheck_at: null,
        stale_since: null,
        poll_alarm: null,
        final_at: null,
      },
    ]);
    const key = { fileId: file.file_id, batchNo: 1 };
    expect(await readSealedPart(world.ledger, key, 'body')).toEqual(Buffer.from([0, 1, 2, 255]));
  });

  it('leaves the audit link to the verdict on the file', async () => {
    const file = await world.claimed();
    await transact(world.ledger, (tx) => cutBatch(tx, batchOf(file)));
    expect((await world.links(file.file_id)).map((link) => link.move)).toEqual(['claim']);
  });

  it('never cuts the same batch twice', async () => {
    const file = await world.claimed();
    const twice = transact(world.ledger, async (tx) => {
      await cutBatch(tx, batchOf(file));
      await cutBatch(tx, batchOf(file));
    });
    await expect(twice).rejects.toMatchObject({ code: '23505' });
    expect(await readBatches(world.ledger, file.file_id)).toEqual([]);
  });
});
