import { beforeAll, describe, expect, it } from 'vitest';
import {
  batchReference,
  findBatch,
  findFileOrBatch,
  isBatchReference,
  seenBatchIds,
} from '../../src/explain/batch-reference.ts';
import { keyOf, openTestLedger } from '../support/ledger-world.ts';
import { CARD, cardRow, lines, upTo } from '../support/payment-rows.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { CALLED_AT, foundDoubt } from '../workers/support/resolve-context.ts';
import { BATCH_STATES, type BatchState, FINAL_BATCH_STATES } from '../../schemas/lifecycle.ts';
import { splitOpenRows } from '../../src/explain/read-story.ts';
import { readStory } from '../../src/explain/read-story.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { compareBatch } from '../../src/explain/compare-batch.ts';

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
    'says how a batch is written when it gets "%s"',
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
      ['none.csv/1', /the file has no batches\./],
      [`${one.file_id}x/1`, /Cannot find a file/],
    ];
    for (const [words, message] of errors) {
      await expect(findBatch(world.ledger, words), words).rejects.toThrow(message);
      await expect(findBatch(world.ledger, words), words).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});

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

const LATE = { at: CALLED_AT, reason: 'the service gave it batch id 1002', evidence: { batchId: '1002' } };

describe('seenBatchIds', () => {
  it('finds them in late answers and in answers that broke, but not those that were disowned', () => {
    const [attempt] = foundDoubt().attempts;
    const broken = { ...attempt!, evidence: { answerText: 'BATCHID 1003: <?xml' } };
    const disowned = { ...LATE, evidence: { disownedBatchId: '1003' } };
    expect(seenBatchIds(foundDoubt({ attempts: [broken], lateAnswers: [LATE, LATE] }))).toEqual(['1002', '1003']);
    expect(seenBatchIds(foundDoubt({ attempts: [broken], lateAnswers: [disowned] }))).toEqual([]);
    expect(seenBatchIds(foundDoubt())).toEqual([]);
  });
});

const UNSENT = { not_sent: { rows: 5, cents: 900 } };
const STATES = Object.keys(BATCH_STATES) as BatchState[];
const isFinal = (state: BatchState) => (FINAL_BATCH_STATES as readonly BatchState[]).includes(state);

describe('splitOpenRows', () => {
  it.each(STATES.filter((state) => !isFinal(state)))(
    'never says NOT_SENT of the rows of a batch that is %s',
    (state) => {
      expect(splitOpenRows(UNSENT, [{ state, rows: 5, cents: 900 }])).toEqual({
        outcomes: {},
        open: { rows: 5, cents: 900 },
      });
    },
  );

  it('leaves what was cancelled, and what is decided, as it is', () => {
    const outcomes = { ...UNSENT, approved: { rows: 3, cents: 700 } };
    const batches = [
      { state: 'reconciled', rows: 3, cents: 700 },
      { state: 'cancelled', rows: 2, cents: 300 },
      { state: 'unknown', rows: 3, cents: 600 },
    ] as const;
    expect(splitOpenRows(outcomes, batches)).toEqual({
      outcomes: { approved: { rows: 3, cents: 700 }, not_sent: { rows: 2, cents: 300 } },
      open: { rows: 3, cents: 600 },
    });
    expect(splitOpenRows(outcomes, batches.slice(0, 1))).toEqual({ outcomes, open: { rows: 0, cents: 0 } });
  });

  it('counts a batch that has ended since as decided', () => {
    const decided = { approved: { rows: 5, cents: 900 } };
    expect(splitOpenRows(decided, [{ state: 'submitted', rows: 5, cents: 900 }]).outcomes).toEqual(decided);
  });
});

const pipeline = openedForTests(() => openPipelineWorld({ settings: { batch: { maxRows: 3 } } }));
beforeAll(async () => {
  await pipeline.drop('card', 'monday.csv', lines(upTo(4).map((n) => cardRow(n))));
  await pipeline.finish();
  pipeline.sandbox.faults.plan({ kind: 'result-row-missing', operation: 'getBatchProcessResultFile' });
  await pipeline.drop('card', 'differs.csv', lines(upTo(3).map((n) => cardRow(10 + n))));
  await pipeline.finish();
});

describe('readStory', () => {
  const world = pipeline;

  it('has the file, its batches, outcomes, outputs and every move in order', async () => {
    const story = await readStory(world.app.ledger, 'monday.csv', world.settings);
    expect(story).toMatchObject({
      file: { name: 'monday.csv', state: 'completed' },
      batches: [
        { batch_no: 1, rows: 3, state: 'reconciled' },
        { batch_no: 2, rows: 1, state: 'reconciled' },
      ],
      outcomes: { approved: { rows: 4, cents: 10_000 } },
    });
    expect(story.outputs.map((output) => output.kind)).toContain('result');
    const moves = story.audit.map((link) => link.move);
    expect(moves[0]).toBe('claim');
    expect(moves.at(-1)).toBe('complete');
  });

  it('holds neither the sealed key nor the token of a worker', async () => {
    const { file, batches } = await readStory(world.app.ledger, 'monday.csv', world.settings);
    expect(file).not.toHaveProperty('wrapped_key');
    expect(file).not.toHaveProperty('content_key');
    expect(file).not.toHaveProperty('row_set');
    for (const batch of batches) expect(batch).not.toHaveProperty('token');
  });

  it('throws NOT_FOUND for a file that nobody knows', async () => {
    await expect(readStory(world.app.ledger, 'tuesday.csv', world.settings)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('compareBatch', () => {
  const world = pipeline;

  it('has the rows that differ, or all on request, and no number', async () => {
    const { file, batch } = await findBatch(world.app.ledger, 'differs.csv/1');
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
    const { file, batch } = await findBatch(world.app.ledger, 'differs.csv/1');
    const early = compareBatch(world.app, file, { ...batch, state: 'submitted', result_sha256: null });
    await expect(early).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
