import { describe, expect, it } from 'vitest';
import { findFileOrBatch, isBatchReference } from '../../src/explain/find-file-or-batch.ts';
import { openTestLedger } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('findFileOrBatch', () => {
  it('finds a file by its name, and a batch of it behind a slash', async () => {
    const { file_id: fileId } = await world.accepted({ name: 'june.csv', batches: 2 });
    expect(await findFileOrBatch(world.ledger, 'june.csv')).toEqual({
      file: expect.objectContaining({ file_id: fileId }),
    });
    expect(await findFileOrBatch(world.ledger, 'june.csv/2')).toMatchObject({
      file: { file_id: fileId },
      batch: { batch_no: 2 },
    });
    await expect(findFileOrBatch(world.ledger, 'june.csv/3')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(findFileOrBatch(world.ledger, 'july.csv')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('isBatchReference', () => {
  it.each([
    ['june.csv/2', true],
    [' g7fhpaqs/12 ', true],
    ['june.csv', false],
    ['june.csv/', false],
    ['A/007', false],
    ['06/2026.csv', false],
  ])('of %j is %s', (words, expected) => {
    expect(isBatchReference(words)).toBe(expected);
  });
});
