import { afterAll, beforeAll, expect, it } from 'vitest';
import { findRowsOf } from '../../../src/ledger/doubt/find-batches-holding.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

it('findRowsOf tells of the rows of an account which were sent and which wait', async () => {
  const sent = await world.sending({ account: 'main' });
  const waiting = await world.accepted({ account: 'main' });
  const other = await world.accepted({ account: 'other' });
  const invoices = [sent, waiting, other].map(({ file_id: fileId }) => `INV-${fileId}-2`);
  expect(await findRowsOf(world.ledger, 'main', [...invoices, 'nobody'])).toMatchObject([
    { fileId: sent.file_id, batchNo: 1, amountCents: 200, wasSent: true, isWaiting: false },
    { fileId: waiting.file_id, batchNo: 1, amountCents: 200, wasSent: false, isWaiting: true },
  ]);
  for (const verdict of ['not_sent', 'refused']) {
    await world.force('UPDATE attempt SET verdict = $2 WHERE file_id = $1', [sent.file_id, verdict]);
    expect((await findRowsOf(world.ledger, 'main', invoices))[0]).toMatchObject({ wasSent: false });
  }
});
