import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JudgedRow, Transaction } from '../../../src/sandbox/books/book-row.ts';
import { sampleCustomer } from '../support/make-context.ts';
import { BOOK_FILE, emptyBooks } from '../../../src/sandbox/books/book-folder.ts';
import { firstIdsOf } from '../../../src/sandbox/books/book-row.ts';
import { type Books, type NewBatch, openBooks } from '../../../src/sandbox/books/open-books.ts';
import { useSandboxes } from '../support/sandbox-world.ts';
import { submitBatch } from '../support/soap-request.ts';

const world = useSandboxes();
const AT = '2026-06-15T10:00:00.000Z';
const READY_AT = '2026-06-15T10:00:01.000Z';

const ROW: JudgedRow = {
  invoice: '1001',
  customerCode: '',
  amountCents: 500,
  lastFour: '0001',
  outcome: 'accepted_pending',
  message: 'Received',
  charged: true,
};

const CREATED = { account: 'TEST88', record: sampleCustomer({ createdAt: AT }) };

const TRANSACTION: Transaction = {
  method: 'card',
  row: {
    at: AT,
    account: 'TEST88',
    operation: 'processCreditCard',
    batchId: '',
    position: 1,
    ...ROW,
    transactionId: 'A6000001',
  },
};

describe('openBooks', () => {
  it('counts batches up from 1000001 and lists their rows in order', async () => {
    const books = await openBooks(undefined);
    expect(await books.takeBatch(batchOf('a'))).toBe('1000001');
    expect(await books.takeBatch({ ...batchOf('b'), account: 'OTHER' })).toBe('1000002');
    expect(books.rows()).toEqual([
      { at: AT, account: 'TEST88', operation: 'processACHEFTChargeBatch', batchId: '1000001', position: 1, ...ROW },
      { at: AT, account: 'OTHER', operation: 'processACHEFTChargeBatch', batchId: '1000002', position: 1, ...ROW },
    ]);
    expect(books.rows(1_000_001).map(({ batchId }) => batchId)).toEqual(['1000002']);
    expect(books.rows(1_000_002)).toEqual([]);
  });

  it('shows a batch to its own account only', async () => {
    const books = await openBooks(undefined);
    await books.takeBatch(batchOf('a'));
    const found = books.findBatch('TEST88', '1000001');
    expect(found?.readyAt.toISOString()).toBe(READY_AT);
    expect(found?.openResult().toString()).toBe('result of a');
    expect(books.findBatch('OTHER', '1000001')).toBeUndefined();
    expect(books.findBatch('TEST88', '1000002')).toBeUndefined();
  });

  it('judges one batch after the other, each knowing the keys of those before', async () => {
    const books = await openBooks(await world.folder());
    const seen: boolean[] = [];
    const like: NewBatch = {
      ...batchOf('same'),
      judge: (isTaken, keyOf) => {
        seen.push(isTaken(keyOf(['k'])));
        return { rows: [ROW], result: Buffer.alloc(0), keys: [keyOf(['k'])], payers: [null] };
      },
    };
    expect(await Promise.all([books.takeBatch(like), books.takeBatch(like), books.takeBatch(like)])).toEqual([
      '1000001',
      '1000002',
      '1000003',
    ]);
    expect(seen).toEqual([false, true, true]);
    await books.close();
  });

  it('goes on after a batch that failed, with nothing of it booked and its id unused', async () => {
    const books = await openBooks(undefined);
    const failing: NewBatch = {
      ...batchOf('a'),
      judge: () => {
        throw new Error('cannot judge');
      },
    };
    const [failed, taken] = await Promise.allSettled([books.takeBatch(failing), books.takeBatch(batchOf('b'))]);
    expect(failed).toMatchObject({ status: 'rejected' });
    expect(taken).toEqual({ status: 'fulfilled', value: '1000001' });
    expect(books.rows()).toHaveLength(1);
  });

  it('is complete after a restart: rows, results, keys and the next id', async () => {
    const folder = await world.folder();
    const before = await openBooks(folder);
    await before.takeBatch(batchOf('a'));
    await before.takeBatch(batchOf('b'));
    await before.close();
    const after = await openBooks(folder);
    expect(after.rows()).toEqual(before.rows());
    expect(after.findBatch('TEST88', '1000002')?.openResult().toString()).toBe('result of b');
    expect(after.findBatch('TEST88', '1000002')?.readyAt.toISOString()).toBe(READY_AT);
    expect(await isKeyTaken(after, 'a')).toBe(true);
    expect(await isKeyTaken(after, 'c')).toBe(false);
    expect(await after.takeBatch(batchOf('d'))).toBe('1000005');
    await after.close();
  });

  it('forgets a batch whose line was cut, and uses its id, which nobody was told', async () => {
    const folder = await world.folder();
    const path = join(folder, 'books.jsonl');
    const before = await openBooks(folder);
    await before.takeBatch(batchOf('a'));
    await before.takeBatch(batchOf('b'));
    await before.close();
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.slice(0, -20));
    const after = await openBooks(folder);
    expect(after.rows().map(({ batchId }) => batchId)).toEqual(['1000001']);
    expect(await isKeyTaken(after, 'b')).toBe(false);
    await after.close();
  });

  it('keeps single charges between the batches, with the record that one created, also after a restart', async () => {
    const folder = await world.folder();
    const before = await openBooks(folder);
    await before.takeBatch(batchOf('a'));
    const answer = await before.decide(() => ({
      entries: [{ transaction: TRANSACTION, customer: CREATED }],
      answer: 'ok',
    }));
    expect(answer).toBe('ok');
    await before.takeBatch(batchOf('b'));
    await before.close();
    const text = await readFile(join(folder, 'books.jsonl'), 'utf8');
    expect(text.trim().split('\n')).toHaveLength(3);
    expect(text).not.toContain(CREATED.record.number);
    const after = await openBooks(folder);
    expect(after.rows().map(({ batchId }) => batchId)).toEqual(['1000001', '', '1000002']);
    expect(after.rows(1_000_001).map(({ batchId }) => batchId)).toEqual(['', '1000002']);
    expect(after.rows(1_000_002)).toEqual([]);
    expect(after.transactions.find('TEST88', 'A6000001')).toMatchObject(TRANSACTION);
    expect(after.customers.find('TEST88', 'A10000001')).toEqual(CREATED.record);
    await after.decide(() => ({ entries: [{ deletion: { account: 'TEST88', code: 'A10000001' } }], answer: '' }));
    await after.close();
    const last = await openBooks(folder);
    expect(last.customers.find('TEST88', 'A10000001')).toBeUndefined();
    expect(last.customers.nextCode('TEST88')).toBe('A10000002');
    await last.close();
  });

  it('writes nothing for a decision that comes to nothing, and goes on after one that fails', async () => {
    const books = await openBooks(undefined);
    const failing = books.decide(() => {
      throw new Error('cannot decide');
    });
    await expect(failing).rejects.toThrow('cannot decide');
    expect(await books.decide(() => ({ answer: 7 }))).toBe(7);
    expect(books.rows()).toEqual([]);
  });

  it('lets a batch ask how the record of a code pays', async () => {
    const books = await openBooks(undefined);
    await books.decide(() => ({ entries: [{ customer: CREATED }], answer: '' }));
    const asked: unknown[] = [];
    await books.takeBatch({
      ...batchOf('a'),
      judge: (_, __, paymentOf) => {
        asked.push(paymentOf('A10000001'), paymentOf('A10000002'));
        return { rows: [], result: Buffer.alloc(0), keys: [], payers: [] };
      },
    });
    expect(asked).toEqual(['card', undefined]);
  });

  it('refuses books with a damaged line, without quoting it', async () => {
    const folder = await world.folder();
    await (await openBooks(folder)).close();
    await appendFile(join(folder, 'books.jsonl'), '{"4222222222222220\n');
    const refused = openBooks(folder);
    await expect(refused).rejects.toMatchObject({ code: 'SEAL_BROKEN' });
    await expect(refused).rejects.not.toThrow('4222');
  });

  it('refuses books whose secret is missing, but starts over where there are no books yet', async () => {
    const folder = await world.folder();
    const books = await openBooks(folder);
    await rm(join(folder, 'secret'));
    await books.close();
    const again = await openBooks(folder);
    await again.takeBatch(batchOf('a'));
    await again.close();
    await rm(join(folder, 'secret'));
    await expect(openBooks(folder)).rejects.toMatchObject({ code: 'MASTER_KEY_MISSING' });
  });

  it('writes the entries of one decision in order, and a cut leaves the first ones whole', async () => {
    const folder = await world.folder();
    const path = join(folder, 'books.jsonl');
    const before = await openBooks(folder);
    const entries = ['A6000001', 'A6000002', 'A6000003'].map((transactionId) => ({
      transaction: { ...TRANSACTION, row: { ...TRANSACTION.row, transactionId } },
    }));
    await before.decide(() => ({ entries, answer: undefined }));
    expect(before.rows().map(({ transactionId }) => transactionId)).toEqual(['A6000001', 'A6000002', 'A6000003']);
    await before.close();
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, -20));
    const after = await openBooks(folder);
    expect(after.rows().map(({ transactionId }) => transactionId)).toEqual(['A6000001', 'A6000002']);
    await after.close();
  });

  it('is refused while another has the folder, and not any more after it closed or failed to open', async () => {
    const folder = await world.folder();
    const books = await openBooks(folder);
    await expect(openBooks(folder)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await books.takeBatch(batchOf('a'));
    await books.close();
    await appendFile(join(folder, 'books.jsonl'), 'damaged\n');
    await expect(openBooks(folder)).rejects.toMatchObject({ code: 'SEAL_BROKEN' });
    await writeFile(join(folder, 'books.jsonl'), '');
    await (await openBooks(folder)).close();
  });

  it('makes the folder, and waits for what is being written when it closes', async () => {
    const folder = join(await world.folder(), 'deep', 'down');
    const books = await openBooks(folder);
    const taken = books.takeBatch(batchOf('a'));
    await books.close();
    expect(await taken).toBe('1000001');
    expect(await readFile(join(folder, 'books.jsonl'), 'utf8')).toMatch(/^\{"kind":"batch","batchId":"1000001".*\}\n$/);
  });
});

function batchOf(key: string): NewBatch {
  return {
    at: AT,
    readyAt: READY_AT,
    account: 'TEST88',
    operation: 'processACHEFTChargeBatch',
    judge: (_, keyOf) => ({
      rows: [ROW],
      result: Buffer.from(`result of ${key}`),
      keys: [keyOf([key])],
      payers: [null],
    }),
  };
}

async function isKeyTaken(books: Books, key: string): Promise<boolean> {
  let isTaken = false;
  await books.takeBatch({
    ...batchOf('probe'),
    judge: (isAsked, keyOf) => {
      isTaken = isAsked(keyOf([key]));
      return { rows: [], result: Buffer.alloc(0), keys: [], payers: [] };
    },
  });
  return isTaken;
}

describe('emptyBooks', () => {
  it('leaves an empty file and the secret', async () => {
    const dataDir = await world.folder();
    const sandbox = await world.start({ dataDir });
    await submitBatch(sandbox.url, 'ProcessACHEFTChargeBatch', 'a');
    await sandbox.close();
    const secret = await readFile(join(dataDir, 'secret'));
    await emptyBooks(dataDir);
    expect(await readFile(join(dataDir, BOOK_FILE), 'utf8')).toBe('');
    expect(await readFile(join(dataDir, 'secret'))).toEqual(secret);
    const books = await openBooks(dataDir);
    expect(books.rows()).toEqual([]);
    await books.close();
  });

  it('fails where there are no books', async () => {
    await expect(emptyBooks(await world.folder())).rejects.toThrow('ENOENT');
  });
});

it('firstIdsOf begins where books of earlier moments had not got, and as usual for a number', () => {
  const ids = firstIdsOf('time', new Date('2026-11-27T00:00:00Z'));
  expect(ids).toMatchObject({ batch: 217_900_800_000, row: 217_900_800_000_000 });
  expect(ids.single).toBeGreaterThan(ids.row + 2 ** 49);
  expect(Number.isSafeInteger(ids.single)).toBe(true);
  const later = firstIdsOf('time', new Date('2026-11-27T00:00:01Z'));
  expect(later.customer - ids.customer).toBe(1);
  expect(firstIdsOf(5, new Date(0))).toEqual({ ...firstIdsOf(undefined, new Date(0)), batch: 5 });
});
