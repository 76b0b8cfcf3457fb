import { beforeAll, describe, expect, it } from 'vitest';
import { readStory } from '../../src/explain/read-story.ts';
import { cardRow, lines } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(() => openPipelineWorld({ settings: { batch: { maxRows: 2 } } }));
beforeAll(async () => {
  await world.drop('card', 'monday.csv', lines([cardRow(1), cardRow(2), cardRow(3)]));
  await world.finish();
});

describe('readStory', () => {
  it('has the file, its batches, outcomes, outputs and every move in order', async () => {
    const story = await readStory(world.app.ledger, 'monday.csv');
    expect(story).toMatchObject({
      file: { name: 'monday.csv', state: 'completed' },
      batches: [
        { batch_no: 1, rows: 2, state: 'reconciled' },
        { batch_no: 2, rows: 1, state: 'reconciled' },
      ],
      outcomes: { approved: { rows: 3, cents: 7_500 } },
    });
    expect(story.outputs.map((output) => output.kind)).toContain('result');
    const moves = story.audit.map((link) => link.move);
    expect(moves[0]).toBe('claim');
    expect(moves.at(-1)).toBe('complete');
  });

  it('holds neither the sealed key nor the token of a worker', async () => {
    const { file, batches } = await readStory(world.app.ledger, 'monday.csv');
    expect(file).not.toHaveProperty('wrapped_key');
    expect(file).not.toHaveProperty('content_key');
    expect(file).not.toHaveProperty('row_set');
    for (const batch of batches) expect(batch).not.toHaveProperty('token');
  });

  it('throws NOT_FOUND for a file that nobody knows', async () => {
    await expect(readStory(world.app.ledger, 'tuesday.csv')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
