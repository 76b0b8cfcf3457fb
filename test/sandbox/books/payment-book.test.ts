import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Books, openBooks } from '../../../src/sandbox/books/open-books.ts';
import { HANDLERS } from '../../../src/sandbox/handlers/handlers.ts';
import type { Call } from '../../../src/sandbox/handlers/handler.ts';
import { makeCall, makeContext, messageOf, sampleCustomer } from '../support/make-context.ts';
import { submitBatch } from '../support/soap-request.ts';
import { useSandboxes } from '../support/sandbox-world.ts';
import { newBookSecret } from '../../../src/sandbox/books/book-secret.ts';
import type { Payer, Transaction } from '../../../src/sandbox/books/book-row.ts';
import { keepTransactions, openPayers, payerOfRecord, sealPayers } from '../../../src/sandbox/books/payment-book.ts';

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

describe('makeHistory', () => {
  const now = '2026-06-15T09:30:00Z';

  it('makes the same books of the same seed, others of another, and as many payments as it is told', async () => {
    const rowsOf = async (seed: number, size?: number) => {
      const sandbox = await world.start({ now, history: { days: 30, seed, ...(size === undefined ? {} : { size }) } });
      return sandbox.books();
    };
    const rows = await rowsOf(7);
    expect(await rowsOf(7)).toEqual(rows);
    expect(await rowsOf(8)).not.toEqual(rows);
    expect(rows).toHaveLength(1200);
    expect(await rowsOf(7, 10)).toHaveLength(10);
    const times = rows.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
    expect([times[0]! >= '2026-05-16T09', times.at(-1)! <= '2026-06-15T09:00:00.000Z']).toEqual([true, true]);
    const onDay = (weekday: number) => times.filter((at) => new Date(at).getUTCDay() === weekday).length;
    expect(onDay(2) + onDay(3)).toBeGreaterThan(1.5 * (onDay(6) + onDay(0)));
    const outcomes = new Set(rows.map(({ outcome }) => outcome));
    expect(outcomes).toEqual(new Set(['approved', 'accepted_pending', 'declined']));
    const operations = new Set(rows.map(({ operation }) => operation));
    for (const kind of ['recurring', 'processCreditCardRefundWithTransactionId', 'processACHEFTWithCustomerCode']) {
      expect(operations).toContain(kind);
    }
    expect(new Set(rows.flatMap(({ message }) => /REJECT: \d+/.exec(message) ?? [])).size).toBeGreaterThan(4);
  });

  it('keeps to cards on the UK server', async () => {
    const accounts = [{ agentCode: 'UDDD88', password: 'UDDD88', server: 'UK' as const }];
    const sandbox = await world.start({ now, accounts, history: { days: 30 } });
    expect(sandbox.books().filter(({ operation }) => operation.includes('ACHEFT'))).toEqual([]);
  });

  it('goes on where it ended: no id or recurring payment comes twice, and its charges can be paid back', async () => {
    const sandbox = await world.start({ now, history: { days: 60, size: 2000 } });
    const before = sandbox.books();
    sandbox.clock.advance(40 * 86_400_000);
    await sandbox.settle();
    const charge = before.find(({ operation, charged }) => operation === 'processCreditCard' && charged)!;
    const fields = { transactionId: charge.transactionId!, total: `-${charge.amountCents / 100}` };
    const twice = [1, 2].map(() => messageOf(sandbox, 'ProcessCreditCardRefundWithTransactionId', fields));
    const refunded = before.some(({ amountCents, invoice }) => amountCents < 0 && invoice === charge.invoice);
    expect((await Promise.all(twice)).toSorted()).toEqual([refunded ? 'REJECT: 15' : 'OK: 678594:', 'REJECT: 15']);
    const rows = sandbox.books();
    const ids = rows.flatMap(({ transactionId }) => transactionId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const runs = rows
      .filter(({ operation }) => operation === 'recurring')
      .map(({ at, customerCode }) => at + customerCode);
    expect(new Set(runs).size).toBe(runs.length);
    expect(rows.filter(({ operation }) => operation === 'recurring').length).toBeGreaterThan(
      before.filter(({ operation }) => operation === 'recurring').length,
    );
  });

  it.each([1_000_001, 'time'] as const)(
    'is one line of a data folder, and there again after a restart and a reset (first id: %s)',
    async (firstBatchId) => {
      const dataDir = await world.folder();
      const options = { now, dataDir, firstBatchId, history: { days: 30, seed: 3 } };
      const first = await world.start(options);
      const rows = first.books();
      await first.bank.reject({ all: true });
      await first.close();
      const lines = (await readFile(join(dataDir, 'books.jsonl'), 'utf8')).trim().split('\n');
      expect(lines.filter((line) => !/"kind":"(?:step|ids)"/.test(line))).toHaveLength(1);
      const again = await world.start({ ...options, now: '2026-06-16T00:00:00Z' });
      expect(again.books()).toEqual(rows);
      await again.reset();
      expect(again.books()).toHaveLength(rows.length);
      const full = await world.folder();
      const plain = await world.start({ dataDir: full });
      await submitBatch(plain.url, 'ProcessACHEFTChargeBatch', 'a');
      await plain.close();
      await expect(world.start({ ...options, dataDir: full })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    },
  );

  it.each([{ days: 0 }, { days: 1.5 }, { days: 3661 }, { days: 1, seed: -1 }, { days: 1, size: 0 }])(
    'refuses %j',
    async (history) => {
      await expect(world.start({ history })).rejects.toMatchObject({ code: 'USAGE' });
    },
  );
});
