import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasSwappedColumns } from '../../../src/ledger/duplicates/find-duplicate.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());
beforeEach(() => world.empty());

/** Makes a file of two rows with customer codes; `#` stands for the line. */
async function file(account: string, invoice: string, code: string): Promise<FileRow> {
  const made = await world.accepted({ account });
  await world.force(
    `UPDATE payment_row SET invoice = replace($2, '#', line::text), customer_code = replace($3, '#', line::text)
     WHERE file_no = $1`,
    [made.file_no, invoice, code],
  );
  await world.force(`UPDATE file SET layout = 'ach-code' WHERE file_no = $1`, [made.file_no]);
  return made;
}

const isSwapped = (subject: FileRow) => transact(world.ledger, (tx) => hasSwappedColumns(tx, subject));

describe('hasSwappedColumns', () => {
  it('finds codes that look like no code of the account beside invoices that do', async () => {
    await file('main', 'INV-#', 'A1000#');
    expect(await isSwapped(await file('main', 'A2000#', 'INV-7#'))).toBe(true);
  });

  it.each<[string, string, string]>([
    ['codes that look as before', 'A2000#', 'B3000#'],
    ['invoices that look like no code', '2026/#', 'X-#'],
    ['codes of both kinds', 'A2000#', 'INV-7#'],
  ])('finds nothing in %s', async (what, invoice, code) => {
    await file('main', 'INV-#', 'A1000#');
    if (what === 'codes of both kinds') await file('main', 'R#', 'INV-#');
    expect(await isSwapped(await file('main', invoice, code))).toBe(false);
  });

  it('finds nothing in the first file of an account, nor by files of another account or such as were refused', async () => {
    await file('other', 'INV-#', 'A1000#');
    const refused = await file('main', 'INV-#', 'A1000#');
    await world.putFile(refused.file_id, 'rejected');
    expect(await isSwapped(await file('main', 'A2000#', 'INV-7#'))).toBe(false);
  });
});
