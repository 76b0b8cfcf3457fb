import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeSentBefore, wasSentBefore } from '../../../src/ledger/queries/find-sent-before.ts';
import { readBatches } from '../../../src/ledger/queries/read-file.ts';
import { transact } from '../../../src/ledger/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { forget } from '../moves/support/forget.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const ask = (fileId: string) => transact(world.ledger, (tx) => describeSentBefore(tx, fileId));

describe('wasSentBefore', () => {
  it('is asked of a batch by any name, and goes by account and bytes', async () => {
    const [barred, free] = [await world.batchIn('ready'), await world.batchIn('ready')];
    await forget(world.ledger, { account: barred.account, sha256: barred.body_sha256 });
    await forget(world.ledger, { account: 'elsewhere', sha256: free.body_sha256 });
    const { rows } = await world.ledger.pool.query(
      `SELECT b.file_id, ${wasSentBefore('b')} AS was FROM batch b WHERE b.file_id = ANY ($1) ORDER BY was`,
      [[barred.file_id, free.file_id]],
    );
    expect(rows).toEqual([
      { file_id: free.file_id, was: false },
      { file_id: barred.file_id, was: true },
    ]);
  });
});

describe('describeSentBefore', () => {
  it('says nothing of a file whose bytes nobody knows, or another account does', async () => {
    const file = await world.accepted();
    const [batch] = await readBatches(world.ledger, file.file_id);
    expect(await ask(file.file_id)).toBeUndefined();
    await forget(world.ledger, { account: 'elsewhere', sha256: batch!.body_sha256 });
    expect(await ask(file.file_id)).toBeUndefined();
  });

  it('names the first batch that was sent before, when and from which file, and counts the others', async () => {
    const file = await world.accepted({ batches: 3 });
    const [, second, third] = await readBatches(world.ledger, file.file_id);
    const call = { account: file.account, fileId: 'aaaaaaaaaaaaaaaa' };
    await forget(world.ledger, { ...call, sha256: second!.body_sha256, at: '2026-06-01T08:00:00.000Z' });
    const said = 'batch 2 was sent at 2026-06-01T08:00:00.000Z from file aaaaaaaaaaaaaaaa';
    expect(await ask(file.file_id)).toBe(said);
    await forget(world.ledger, { ...call, batchNo: 9, sha256: third!.body_sha256 });
    expect(await ask(file.file_id)).toBe(`${said}, and 1 more`);
  });
});
