import { afterEach, describe, expect, it } from 'vitest';
import { ERRORS } from '../../schemas/errors.ts';
import { fileNamed, goodRows, readNotice, readOriginal, sayingOf } from '../support/bad-input.ts';
import { codeRow, lines } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

let world: PipelineWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function open(): Promise<PipelineWorld> {
  world = await openPipelineWorld();
  return world;
}

describe('the same bytes under another name', () => {
  it.each([
    ['in the same folder', 'card'],
    ['in another folder of the account', 'ach-charge'],
  ])('%s are refused with the name of the first', async (_, folder) => {
    const one = await open();
    await one.drop('card', 'monday.csv', goodRows(1));
    await one.finish();
    await one.drop(folder, 'tuesday.csv', goodRows(1));
    await one.drop(folder, 'beside.csv', goodRows(2));
    await one.finish();
    expect(await one.states()).toEqual({
      'monday.csv': 'completed',
      'tuesday.csv': 'rejected',
      'beside.csv': 'completed',
    });
    const [first, again] = [await fileNamed(one, 'monday.csv'), await fileNamed(one, 'tuesday.csv')];
    const reason = `${ERRORS.DUPLICATE_FILE.means}: they came as "monday.csv" (file ${first.file_id})`;
    const { head, faults } = await readNotice(one, again, 'nak');
    expect(head).toMatchObject({ Status: 'REJECTED', Code: 'DUPLICATE_FILE', Reason: reason });
    expect(faults).toEqual([{ line: '', value: '', reason, ...sayingOf('DUPLICATE_FILE') }]);
    expect(again.duplicate_of).toBe(first.file_id);
    expect((await readOriginal(one, again)).toString()).toBe(goodRows(1));
    expect(one.sandbox.books()).toHaveLength(6);
  });

  it('are refused too when the two come at once', async () => {
    const one = await open();
    for (const name of ['a.csv', 'b.csv', 'c.csv']) await one.drop('card', name, goodRows(1));
    await one.finish();
    expect(Object.values(await one.states()).toSorted()).toEqual(['completed', 'rejected', 'rejected']);
    expect(one.sandbox.books()).toHaveLength(3);
  });

  it('may come again after they were refused', async () => {
    const one = await open();
    const bad = `${goodRows(1)}a,b\n`;
    await one.drop('card', 'monday.csv', bad);
    await one.finish();
    await one.drop('card', 'tuesday.csv', bad);
    await one.finish();
    const { head } = await readNotice(one, await fileNamed(one, 'tuesday.csv'), 'nak');
    expect(head['Code']).toBe('COLUMN_COUNT');
  });
});

describe('the same name with other bytes', () => {
  it('is taken, and the acknowledgement says so', async () => {
    const one = await open();
    await one.drop('card', 'dues.csv', goodRows(1));
    await one.finish();
    await one.drop('card', 'dues.csv', lines([codeRow(900)]));
    await one.drop('card', 'beside.csv', goodRows(2));
    await one.finish();
    const { rows } = await one.app.ledger.pool.query<{ state: string }>('SELECT state FROM file ORDER BY file_no');
    expect(rows.map((row) => row.state)).toEqual(['completed', 'completed', 'completed']);
    const acks = Object.values(await one.outputs('ack'));
    const flagged = acks.filter((text) => text.includes('NAME_SEEN_BEFORE'));
    expect(acks).toHaveLength(3);
    expect(flagged).toHaveLength(1);
    expect(flagged[0]).toContain('Status,ACCEPTED');
    expect(flagged[0]).toContain(ERRORS.NAME_SEEN_BEFORE.mend);
    expect(one.sandbox.books()).toHaveLength(7);
  });
});
