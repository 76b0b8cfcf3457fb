import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimFile } from '../../../src/ledger/file/claim-file.ts';
import { noteUpload } from '../../../src/ledger/transfer/note-upload.ts';
import { readMaker } from '../../../src/ledger/proposal/proposals.ts';
import { claimOf, type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('readMaker', () => {
  it('names who dropped the file on the dashboard, and nobody for a file that came otherwise', async () => {
    const [dropped, other] = [claimOf(), claimOf()];
    const { account, folder, name, sha256, bytes } = dropped;
    await noteUpload(world.ledger, { account, folder, name, sha256, bytes, actor: 'operator:ada' });
    await claimFile(world.ledger, dropped);
    await claimFile(world.ledger, other);
    expect(await readMaker(world.ledger, dropped.fileId)).toBe('operator:ada');
    expect(await readMaker(world.ledger, other.fileId)).toBeUndefined();
  });
});
