import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeSentBefore } from '../../../src/ledger/duplicates/find-sent-before.ts';
import { readBatches } from '../../../src/ledger/file/read-file.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { forget } from '../support/forget.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const ask = (fileId: string) => transact(world.ledger, (tx) => describeSentBefore(tx, fileId));

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
