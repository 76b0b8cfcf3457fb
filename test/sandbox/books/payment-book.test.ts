import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Books, openBooks } from '../../../src/sandbox/books/open-books.ts';
import { HANDLERS } from '../../../src/sandbox/handlers/handlers.ts';
import type { Call } from '../../../src/sandbox/handlers/handler.ts';
import { makeCall, makeContext, NOW, sampleCustomer } from '../support/make-context.ts';
import { useSandboxes } from '../support/sandbox-world.ts';
import { newBookSecret } from '../../../src/sandbox/books/book-secret.ts';
import type { Payer, Transaction } from '../../../src/sandbox/books/book-row.ts';
import {
  keepPayments,
  keepTransactions,
  openPayers,
  payerOfRecord,
  sealPayers,
} from '../../../src/sandbox/books/payment-book.ts';
import { showBatches, showDays, showPayments } from '../../../src/sandbox/page/show-views.ts';

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

  it('are the same after a restart, and lie sealed', async () => {
    const folder = await world.folder();
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
    const text = await readFile(join(folder, 'books.jsonl'), 'utf8');
    for (const secret of [BANK, CARD, 'Byron', 'Gift']) expect(text).not.toContain(secret);
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

const PAYER: Payer = {
  firstName: 'Ada',
  lastName: 'Byron',
  payment: 'VISA',
  shownNumber: '4***********2220',
  expiry: '12/30',
  comment: 'a present',
};

describe('sealPayers', () => {
  it('hides everything, and gives it back to the same owner only', () => {
    const secret = newBookSecret();
    const sealed = sealPayers(secret, [PAYER, null], 'batch 1');
    const bytes = Buffer.from(sealed, 'base64').toString('latin1');
    for (const text of ['Byron', '*******', 'a present']) {
      expect(sealed).not.toContain(text);
      expect(bytes).not.toContain(text);
    }
    expect(openPayers(secret, sealed, 'batch 1')).toEqual([PAYER, null]);
    expect(() => openPayers(secret, sealed, 'batch 2')).toThrow(expect.objectContaining({ code: 'SEAL_BROKEN' }));
  });

  it('masks a card number that came in a wrong place', () => {
    const secret = newBookSecret();
    const number = '4222222222222220';
    const strayed = { firstName: number, lastName: number, payment: number, shownNumber: number, expiry: number };
    const [opened] = openPayers(secret, sealPayers(secret, [{ ...strayed, comment: `my ${number}` }], 'x'), 'x');
    expect(opened?.firstName).toMatch(/2220$/);
    expect(JSON.stringify(opened)).not.toContain(number);
  });
});

describe('payerOfRecord', () => {
  it('shows the number masked', () => {
    const record = sampleCustomer({
      holder: 'Somebody Else',
      expiry: '12/30',
      textOf: (field) => ({ firstName: 'Ada', lastName: 'Byron', comment: 'a present' })[field as string],
    });
    expect(payerOfRecord(record)).toEqual(PAYER);
  });
});

describe('keepTransactions', () => {
  it('finds a transaction for its own account only', () => {
    const book = keepTransactions(0x600_0001);
    book.keep(transactionOf('A6000001'));
    expect(book.find('TEST88', 'A6000001')?.row.amountCents).toBe(500);
    expect(book.find('OTHER', 'A6000001')).toBeUndefined();
    expect(book.find('TEST88', 'A6000002')).toBeUndefined();
  });

  it('gives ids in capital hexadecimal digits behind the last, also after a row without one', () => {
    const book = keepTransactions(0x600_0001);
    expect(book.nextId()).toBe('A6000001');
    book.keep(transactionOf('A60000AF'));
    book.keep(transactionOf(undefined));
    expect(book.nextId()).toBe('A60000B0');
    expect(book.nextId(2)).toBe('A60000B2');
    expect(book.nextId()).toBe('A60000B0');
  });

  it('adds up what was paid back, and not what was refused', () => {
    const book = keepTransactions(0x600_0001);
    book.keep(transactionOf('A6000001'));
    book.keep(refundOf('A6000002', -200, true));
    book.keep(refundOf('A6000003', -100, false));
    book.keep(refundOf('A6000004', -50, true));
    expect(book.refundedCents('A6000001')).toBe(250);
    expect(book.refundedCents('A6000002')).toBe(0);
  });
});

function transactionOf(transactionId: string | undefined): Transaction {
  return {
    method: 'card',
    row: {
      at: '2026-06-15T10:00:00.000Z',
      account: 'TEST88',
      operation: 'processCreditCard',
      batchId: '',
      position: 1,
      invoice: '1',
      customerCode: '',
      amountCents: 500,
      lastFour: '2220',
      outcome: 'approved',
      message: 'OK: 678594:',
      charged: true,
      ...(transactionId === undefined ? {} : { transactionId }),
    },
  };
}

function refundOf(transactionId: string, amountCents: number, charged: boolean): Transaction {
  const { row } = transactionOf(transactionId);
  return { method: 'card', refundOf: 'A6000001', row: { ...row, amountCents, charged } };
}

describe('the views of many payments', () => {
  it('stay small and open nothing that is sealed', () => {
    const payments = keepPayments(newBookSecret(), () => undefined, 1);
    for (let index = 0; index < 20_000; index += 1) {
      const at = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
      const row = { ...SHOWN_ROW, at, invoice: `I-${index}`, transactionId: `A6${index}` };
      payments.keepTransaction({ kind: 'transaction', row, method: 'card', payer: 'not to be opened' });
    }
    const query = new URLSearchParams('q=I-19999&page=1');
    const views = [showPayments, showDays, showBatches].map((show) => show(query, payments.rows(), new Date(NOW)).text);
    expect(views[0]).toContain('<p>1 payment.</p>');
    expect(views[1]).toContain('2026-01-14');
    const last = showPayments(new URLSearchParams('page=400'), payments.rows(), new Date(NOW));
    expect(last.text).toContain('>I-0<');
    expect(Math.max(...views.map(({ length }) => length))).toBeLessThan(20_000);
  });
});

const SHOWN_ROW = {
  account: 'TEST88',
  operation: 'processCreditCard',
  batchId: '',
  position: 1,
  customerCode: '',
  amountCents: 500,
  lastFour: '2220',
  outcome: 'approved',
  message: 'OK: 678594:',
  charged: true,
} as const;
