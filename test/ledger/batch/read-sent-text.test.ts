import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSentRows } from '../../../src/ledger/file/read-file.ts';
import { readSentBatch } from '../../../src/ledger/batch/read-sealed-part.ts';
import { sentTextOf } from '../../reconcile/support/packed-rows.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('readSentBatch', () => {
  it('has the file and the rows of this batch alone, in their order', async () => {
    const file = await world.accepted({ batches: 3, rowsPerBatch: 3, withheld: 2 });
    for (const batchNo of [1, 2, 3]) {
      const batch = await world.putBatch({ fileId: file.file_id, batchNo }, 'submitted');
      const found = await readSentBatch(world.ledger, batch);
      expect(found).toEqual({ file, sent: sentTextOf(await readSentRows(world.ledger, file.file_no, batch)) });
      expect(found.sent.rows).toBe(3);
    }
  });

  it('shows that a row has no amount by a row too few in the text', async () => {
    const batch = await world.batchIn('submitted');
    await world.force(
      'UPDATE payment_row SET amount_cents = NULL WHERE line = $1 AND file_no = (SELECT file_no FROM file WHERE file_id = $2)',
      [batch.first_line, batch.file_id],
    );
    const { sent } = await readSentBatch(world.ledger, batch);
    expect([sent.rows, sent.bytes.toString().split('\n').length - 1]).toEqual([2, 1]);
  });

  it('does not find a batch of no file', async () => {
    const batch = { ...(await world.batchIn('submitted')), file_id: 'aaaaaaaaaaaaaaaa' };
    await expect(readSentBatch(world.ledger, batch)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
