import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Books, openBooks } from '../../../src/sandbox/books/open-books.ts';
import { HANDLERS } from '../../../src/sandbox/handlers/handlers.ts';
import type { Call } from '../../../src/sandbox/handlers/handler.ts';
import { makeCall, makeContext } from '../support/make-context.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();
const BANK = '02100002100000000000000001';
const CARD = '4222222222222220';
const ADA = { firstName: 'Ada', lastName: 'Byron' };
const BANK_PAYER = {
  ...ADA,
  payment: 'CHECKING',
  shownNumber: '0*********************0001',
  expiry: '',
  comment: 'Gift',
};
const CARD_PAYER = { ...ADA, payment: 'VISA', shownNumber: '4***********2220', expiry: '12/30', comment: 'Note' };

describe('the payments of the books', () => {
  it('are all rows of a batch that were judged, each with an id of its own and its payer', async () => {
    const books = await openBooks(undefined);
    const row = `1001,Ada,Byron,CHECKING,${BANK},5.00,Gift`;
    await submit(books, 'processACHEFTChargeBatch', [row, row, 'bad,row', '1002,Bo,Li,SAVING,123,7.50,']);
    await submit(books, 'processCreditCardBatch', [`06/15/2026,1001,Ada Byron,5.00,VISA,${CARD},1230`]);
    const payments = books.payments.list('TEST88');
    expect(payments.map(({ transactionId, method, row: { invoice } }) => [transactionId, method, invoice])).toEqual([
      ['A0000001', 'bank', '1001'],
      ['A0000002', 'bank', '1002'],
      ['A0000003', 'card', '1001'],
    ]);
    expect(payments[0]?.payer).toEqual(BANK_PAYER);
    expect(payments[2]?.payer).toEqual({ ...CARD_PAYER, comment: '' });
    expect(books.payments.list('OTHER')).toEqual([]);
  });

  it('are single charges, and refunds with the payer of their charge', async () => {
    const books = await openBooks(undefined);
    const { mop, ...payer } = { mop: 'VISA', ...ADA };
    await call(books, 'processCreditCard', cardCharge({ mop, ...payer }));
    await call(books, 'processCreditCardRefundWithTransactionId', { transactionId: 'A6000001', total: '-1.00' });
    await call(books, 'processCreditCardRefundWithTransactionId', { transactionId: 'none', total: '-1.00' });
    const [charge, refund, unknown] = books.payments.list('TEST88');
    expect(charge).toMatchObject({ transactionId: 'A6000001', payer: CARD_PAYER });
    expect(refund).toMatchObject({ transactionId: 'A6000002', payer: CARD_PAYER });
    expect(unknown).toMatchObject({ transactionId: '', payer: { firstName: '', shownNumber: '' } });
  });

  it('by customer code are shown with the record, and without it once it is deleted', async () => {
    const books = await openBooks(undefined);
    const bank = { ...ADA, customerCode: 'C1', accountNum: BANK, accountType: 'CHECKING', comment: 'of the record' };
    await call(books, 'createACHEFTCustomerCode', bank);
    await call(books, 'processACHEFTWithCustomerCode', { customerCode: 'C1', total: '5.00', comment: 'Gift' });
    await submit(books, 'processACHEFTChargeBatch', ['1001,C1,5.00,Gift', '1002,X9,5.00,Gift']);
    const [single, batched, unknown] = books.payments.list('TEST88');
    expect(single?.payer).toEqual(BANK_PAYER);
    expect(batched?.payer).toEqual(BANK_PAYER);
    expect(unknown?.payer).toEqual({ ...BANK_PAYER, firstName: '', lastName: '', payment: '', shownNumber: '' });
    await call(books, 'deleteCustomerCode', { customerCode: 'C1' });
    const [kept, lost] = books.payments.list('TEST88');
    expect(kept?.payer).toEqual(BANK_PAYER);
    expect(lost?.payer.firstName).toBe('');
  });

  it('are the same after a restart, lie sealed, and books of earlier versions have them without payers', async () => {
    const folder = await world.folder();
    const path = join(folder, 'books.jsonl');
    const before = await openBooks(folder);
    await submit(before, 'processACHEFTChargeBatch', [`1001,Ada,Byron,CHECKING,${BANK},5.00,Gift`]);
    await call(before, 'processCreditCard', cardCharge(ADA));
    await submit(before, 'processACHEFTChargeBatch', [`1002,Ada,Byron,CHECKING,${BANK},5.00,Gift`]);
    const payments = before.payments.list('TEST88');
    expect(payments.map(({ transactionId }) => transactionId)).toEqual(['A0000001', 'A6000001', 'A0000002']);
    await before.close();
    const after = await openBooks(folder);
    expect(after.payments.list('TEST88')).toEqual(payments);
    await after.close();
    const text = await readFile(path, 'utf8');
    for (const secret of [BANK, CARD, 'Byron', 'Gift']) expect(text).not.toContain(secret);
    await writeFile(path, text.replaceAll(/,"payers?":"[^"]*"/g, ''));
    const old = await openBooks(folder);
    expect(old.payments.list('TEST88').map(({ transactionId, payer }) => [transactionId, payer.shownNumber])).toEqual([
      ['A0000001', '***0001'],
      ['A6000001', '***2220'],
      ['A0000002', '***0001'],
    ]);
    expect(old.payments.list('TEST88')[0]?.payer.firstName).toBe('');
    await old.close();
  });
});

function cardCharge(payer: Record<string, string>) {
  return { ...payer, creditCardNum: CARD, creditCardExpiry: '12/30', total: '5.00', comment: 'Note' };
}

function submit(books: Books, operation: Call['operation'], rows: readonly string[]): Promise<void> {
  return call(books, operation, { batchFile: Buffer.from(rows.join('\n')).toString('base64') });
}

async function call(books: Books, operation: Call['operation'], fields: Record<string, string>): Promise<void> {
  const { context } = await makeContext({ books });
  await HANDLERS[operation]?.answer(makeCall(operation, fields), context);
}
