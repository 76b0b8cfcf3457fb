import { describe, expect, it } from 'vitest';
import { batchReference, findBatch } from '../../src/explain/batch-reference.ts';
import { keyOf, openTestLedger } from '../support/ledger-world.ts';
import { CARD } from '../support/payment-rows.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('findBatch', () => {
  it('knows the file by its id, the first letters of it and its name, and what is printed leads back', async () => {
    const file = await world.accepted({ batches: 2, name: 'june/monday.csv' });
    const reference = batchReference({ fileId: file.file_id, batchNo: 2 });
    for (const words of [reference, `${file.file_id.slice(0, 8)}/2`, 'june/monday.csv/2', ` ${reference} `]) {
      const found = await findBatch(world.ledger, words);
      expect(keyOf(found.batch), words).toEqual({ fileId: file.file_id, batchNo: 2 });
      expect(found.file.file_id).toBe(file.file_id);
    }
  });

  it.each(['', 'monday.csv', 'monday.csv/', 'monday.csv/0', 'monday.csv/-1', 'monday.csv/two', '/2', CARD])(
    'says how a batch is written to whoever writes "%s"',
    async (words) => {
      const found = findBatch(world.ledger, words);
      await expect(found).rejects.toMatchObject({ code: 'USAGE' });
      await expect(found).rejects.toThrow(/as in monday\.csv\/2/);
      await expect(found).rejects.not.toThrow(CARD);
    },
  );

  it('says which batches the file has, or that nobody knows the file', async () => {
    const one = await world.accepted({ name: 'one.csv' });
    await world.accepted({ name: 'two.csv', batches: 2 });
    await world.rejected({ name: 'none.csv' });
    const errors: [string, RegExp][] = [
      ['one.csv/2', /Cannot find batch 2 of file "one\.csv": it has one batch, number 1\./],
      ['two.csv/3', /it has 2 batches, numbers 1 to 2\./],
      ['none.csv/1', /the file is rejected and has no batches\./],
      [`${one.file_id}x/1`, /Cannot find a file/],
    ];
    for (const [words, message] of errors) {
      await expect(findBatch(world.ledger, words), words).rejects.toThrow(message);
      await expect(findBatch(world.ledger, words), words).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});
