import { reconcileBatch } from '../../support/end-batches.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFileId } from '../../../src/kernel/ids.ts';
import { maskName } from '../../../src/kernel/mask.ts';
import { copyRows } from '../support/put-rows.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { findFile, findInvoice, readAudit } from '../../../src/ledger/file/search.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, outcomesOf, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

beforeEach(() => world.empty());

describe('findInvoice', () => {
  async function fileWith(invoice: string, lines: number[], claim = {}) {
    const file = await world.claimed(claim);
    const row = { batchNo: null, invoice, customerCode: '', amountCents: null, lastFour: '' };
    await transact(world.ledger, (tx) =>
      copyRows(
        tx,
        file.file_no,
        lines.map((line) => ({ ...row, line })),
      ),
    );
    return file;
  }

  it('tells everything of a row that went through', async () => {
    const batch = await world.batchIn('result_in', { account: 'main', name: 'monday.csv' });
    const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
    await reconcileBatch(world.ledger, keyOf(batch), fileNo, outcomesOf(batch), {});
    expect(await findInvoice(world.ledger, `INV-${batch.file_id}-3`)).toEqual([
      {
        invoice: `INV-${batch.file_id}-3`,
        customerCode: '',
        amountCents: 300,
        lastFour: '0001',
        line: 3,
        fileId: batch.file_id,
        name: 'monday.csv',
        account: 'main',
        operation: 'ach-charge',
        fileState: 'accepted',
        claimedAt: new Date(START),
        batchNo: 1,
        batchState: 'reconciled',
        batchId: batch.batch_id,
        outcome: 'approved',
        code: null,
        message: 'Approved',
        faults: [],
      },
    ]);
  });

  it('finds a row that is withheld or not sent, without batch or outcome', async () => {
    const rejected = await world.rejected({ withheld: 1 });
    const nothing = { batchState: null, batchId: null, outcome: null, code: null, message: null };
    expect(await findInvoice(world.ledger, `INV-${rejected.file_id}-2`)).toMatchObject([
      { fileState: 'rejected', batchNo: 1, ...nothing },
    ]);
    expect(await findInvoice(world.ledger, `INV-${rejected.file_id}-4`)).toMatchObject([
      { amountCents: null, batchNo: null, ...nothing },
    ]);
  });

  it('finds it in every file, newest first, within a file by line, up to the limit', async () => {
    const first = await fileWith('TWICE', [7, 3]);
    const second = await fileWith('TWICE', [9]);
    const found = (await findInvoice(world.ledger, 'TWICE')).map((row) => [row.fileId, row.line]);
    expect(found).toEqual([
      [second.file_id, 9],
      [first.file_id, 3],
      [first.file_id, 7],
    ]);
    expect(await findInvoice(world.ledger, 'TWICE', 2)).toHaveLength(2);
  });

  it.each(['EXAC', 'exact', 'EXACT ', '%', "EXACT' OR '1'='1"])(
    'takes the invoice as it is: %j is none',
    async (invoice) => {
      await fileWith('EXACT', [2]);
      expect(await findInvoice(world.ledger, invoice)).toEqual([]);
    },
  );
});

describe('findFile', () => {
  it('finds a file by its id, by the beginning of it, and by its name', async () => {
    const { file_id: fileId } = await world.claimed({ name: 'wages of june.csv' });
    for (const words of [fileId, fileId.slice(0, 8), 'wages of june.csv']) {
      expect((await findFile(world.ledger, words)).file_id).toBe(fileId);
    }
  });

  it('finds a file by the name that its sender knows, although the ledger keeps it masked', async () => {
    const asSent = 'charges-4222222222222220.csv';
    const { file_id: fileId } = await world.claimed({ name: maskName(asSent) });
    expect((await findFile(world.ledger, asSent)).file_id).toBe(fileId);
  });

  it.each(['abc', '', 'no such file.csv', '%', '____________', '%%%%%%%%'])('finds nothing for %j', async (words) => {
    await world.claimed({ fileId: `abc${newFileId().slice(3)}` });
    await expect(findFile(world.ledger, words)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('asks for the id when several files have the name, or begin alike', async () => {
    const ids = ['1234567800000000', '1234567811111111'];
    for (const fileId of ids) await world.claimed({ fileId, name: 'twice.csv' });
    for (const words of ['twice.csv', '12345678']) {
      await expect(findFile(world.ledger, words)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining('Give the file id'),
      });
    }
    expect((await findFile(world.ledger, '123456780')).file_id).toBe(ids[0]);
  });

  it('takes an id for what it is, although later files are named like it', async () => {
    const { file_id: fileId } = await world.claimed({ fileId: 'zzzzaaaabbbbcccc' });
    await world.claimed({ name: fileId });
    await world.claimed({ name: fileId });
    expect((await findFile(world.ledger, fileId)).file_id).toBe(fileId);
  });

  it('says no number back that it was asked for', async () => {
    for (const name of ['4222222222222220', 'of 4222 2222 2222 2220.csv']) {
      const failure = await findFile(world.ledger, name).catch((error: unknown) => error as Error);
      expect(failure).toMatchObject({ code: 'NOT_FOUND' });
      expect((failure as Error).message.replace(/\D/g, '')).not.toContain('42222');
    }
  });
});

describe('readAudit', () => {
  it('tells the story of a file and its batches in order, and of no other file', async () => {
    const batch = await world.sending();
    await world.sending();
    const links = await readAudit(world.ledger, batch.file_id);
    expect(links.map((link) => [link.move, link.batch_no])).toEqual([
      ['claim', null],
      ['accept', null],
      ['send', 1],
      ['begin', null],
    ]);
    expect(links.map((link) => link.seq)).toEqual([1, 2, 3, 4]);
    expect(links[0]!.at).toEqual(new Date(START));
  });
});
