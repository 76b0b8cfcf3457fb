import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../schemas/errors.ts';
import { fileNamed, goodRows, readNotice, readOriginal, sayingOf } from '../support/bad-input.ts';
import { shortId } from '../../src/kernel/ids.ts';
import { codeRow, lines } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

/** Files of one day, some of which come again on the next; each test has files of its own. */
const BAD = `${goodRows(40)}a,b\n`;

let world: PipelineWorld;
beforeAll(async () => {
  world = await openPipelineWorld({ folder: { unusualFactor: 0 } });
  await world.drop('card', 'here.csv', goodRows(1));
  await world.drop('card', 'elsewhere.csv', goodRows(10));
  for (const name of ['a.csv', 'b.csv', 'c.csv']) await world.drop('card', name, goodRows(30));
  await world.drop('card', 'bad.csv', BAD);
  await world.drop('card', 'dues.csv', goodRows(50));
  await world.finish();

  await world.drop('card', 'here-again.csv', goodRows(1));
  await world.drop('ach-charge', 'elsewhere-again.csv', goodRows(10));
  await world.drop('card', 'bad-again.csv', BAD);
  await world.drop('card', 'dues.csv', lines([codeRow(900)]));
  await world.drop('card', 'beside.csv', goodRows(60));
  await world.finish();
});
afterAll(() => world?.close());

/** Counts the booked rows of `goodRows(n)`. */
function booked(n: number): number {
  return world.sandbox.books().filter(({ invoice }) => invoice.startsWith(`G${n}-`)).length;
}

describe('the same bytes under another name', () => {
  it.each([
    ['in the same folder', 'here', 1],
    ['in another folder of the account', 'elsewhere', 10],
  ])('%s are refused with the name of the first', async (_, name, n) => {
    expect(await world.states()).toMatchObject({
      [`${name}.csv`]: 'completed',
      [`${name}-again.csv`]: 'rejected',
      'beside.csv': 'completed',
    });
    const [first, again] = [await fileNamed(world, `${name}.csv`), await fileNamed(world, `${name}-again.csv`)];
    const reason = `${ERRORS.DUPLICATE_FILE.means}: they came as "${name}.csv" (file ${first.file_id}), which is completed`;
    const { head, faults } = await readNotice(world, again, 'nak');
    expect(head).toMatchObject({ Status: 'REJECTED', Code: 'DUPLICATE_FILE', Reason: reason });
    expect(faults).toEqual([{ line: '', value: '', reason, ...sayingOf('DUPLICATE_FILE') }]);
    expect(again.duplicate_of).toBe(first.file_id);
    expect((await readOriginal(world, again)).toString()).toBe(goodRows(n));
    expect(booked(n)).toBe(3);
    expect(booked(60)).toBe(3);
  });

  it('are refused too when the two come at once', async () => {
    const states = await world.states();
    expect(['a.csv', 'b.csv', 'c.csv'].map((name) => states[name]).toSorted()).toEqual([
      'completed',
      'rejected',
      'rejected',
    ]);
    expect(booked(30)).toBe(3);
  });

  it('may come again after they were refused', async () => {
    const { head } = await readNotice(world, await fileNamed(world, 'bad-again.csv'), 'nak');
    expect(head['Code']).toBe('COLUMN_COUNT');
  });
});

describe('the same name with other bytes', () => {
  it('is taken, and the acknowledgement says so', async () => {
    const { rows } = await world.app.ledger.pool.query<{ state: string; id: string }>(
      `SELECT state, file_id AS id FROM file WHERE name = 'dues.csv' ORDER BY file_no`,
    );
    expect(rows.map((row) => row.state)).toEqual(['completed', 'completed']);
    const acks = Object.entries(await world.outputs('ack'));
    expect(acks.filter(([name]) => name.startsWith('dues__'))).toHaveLength(2);
    const flagged = acks.filter(([, text]) => text.includes('NAME_SEEN_BEFORE'));
    expect(flagged.map(([name]) => name)).toEqual([expect.stringContaining(`__${shortId(rows[1]!.id)}.`)]);
    expect(flagged[0]![1]).toContain('Status,ACCEPTED');
    expect(flagged[0]![1]).toContain(ERRORS.NAME_SEEN_BEFORE.remedy);
    expect(booked(50)).toBe(3);
    expect(world.sandbox.books().filter(({ invoice }) => invoice === 'K-900')).toHaveLength(1);
    expect(world.sandbox.books()).toHaveLength(5 * 3 + 1);
  });
});
