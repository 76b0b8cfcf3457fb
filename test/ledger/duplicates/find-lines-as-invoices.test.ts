import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findLinesAsInvoices } from '../../../src/ledger/duplicates/find-duplicate.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());
beforeEach(() => world.empty());

/** Makes a file of two rows by customer code; `#` stands for the line. */
async function file(invoice: string, { code = 'A#', cents = 100, account = 'main' } = {}): Promise<FileRow> {
  const made = await world.accepted({ account });
  await world.force(
    `UPDATE payment_row SET invoice = replace($2, '#', line::text), customer_code = replace($3, '#', line::text),
       amount_cents = $4, last_four = '' WHERE file_no = $1`,
    [made.file_no, invoice, code, cents],
  );
  return made;
}

const find = (subject: FileRow) => transact(world.ledger, (tx) => findLinesAsInvoices(tx, subject));

describe('findLinesAsInvoices', () => {
  it('finds the file whose lines stand where the invoices belong', async () => {
    const { file_id: fileId } = await file('INV-#');
    await file('INV-#', { cents: 200 });
    expect(await find(await file('#'))).toBe(fileId);
  });

  it.each<[string, Parameters<typeof file>]>([
    ['other invoices', ['1#']],
    ['other amounts', ['#', { cents: 101 }]],
    ['other payers', ['#', { code: 'B#' }]],
    ['another account', ['#', { account: 'other' }]],
    ['invoices of words', ['INV-#']],
  ])('finds none for %s', async (_what, made) => {
    await file('INV-#');
    expect(await find(await file(...made))).toBeUndefined();
  });

  it('finds none among files that were refused', async () => {
    const { file_id: fileId } = await file('INV-#');
    await world.putFile(fileId, 'rejected');
    expect(await find(await file('#'))).toBeUndefined();
  });

  it('finds none when one of the rows is no line of the file', async () => {
    await file('INV-#');
    const subject = await file('#');
    await world.force('UPDATE payment_row SET invoice = $2 WHERE file_no = $1 AND line = 2', [
      subject.file_no,
      'INV-2',
    ]);
    expect(await find(subject)).toBeUndefined();
  });
});
