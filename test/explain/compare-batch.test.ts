import { beforeAll, describe, expect, it } from 'vitest';
import { findBatch } from '../../src/explain/batch-reference.ts';
import { compareBatch } from '../../src/explain/compare-batch.ts';
import { CARD, cardRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(openPipelineWorld);
beforeAll(async () => {
  world.sandbox.faults.plan({ kind: 'result-row-missing', operation: 'getBatchProcessResultFile' });
  await world.drop('card', 'monday.csv', lines(upTo(3).map((n) => cardRow(n))));
  await world.finish();
});

describe('compareBatch', () => {
  it('has the rows that differ, or all on request, and no number', async () => {
    const { file, batch } = await findBatch(world.app.ledger, 'monday.csv/1');
    const few = await compareBatch(world.app, file, batch);
    expect(few).toMatchObject({
      batch: `${file.file_id}/1`,
      state: 'exception',
      sentRows: 3,
      resultRows: 2,
      differing: 1,
      rows: [{ line: 3, isSame: false, result: undefined }],
    });
    const all = await compareBatch(world.app, file, batch, { all: true });
    expect(all.rows.map((row) => row.isSame)).toEqual([true, true, false]);
    expect(JSON.stringify(all)).not.toContain(CARD);
  });

  it('says when there is no result yet', async () => {
    const { file, batch } = await findBatch(world.app.ledger, 'monday.csv/1');
    const early = compareBatch(world.app, file, { ...batch, state: 'submitted', result_sha256: null });
    await expect(early).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
