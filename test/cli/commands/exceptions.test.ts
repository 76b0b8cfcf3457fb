import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
let batch = '';
beforeAll(async () => {
  world = await openCliWorld();
  world.sandbox.faults.plan({ kind: 'result-row-missing', operation: 'getBatchProcessResultFile' });
  await world.drop('card', 'monday.csv', lines(upTo(3).map((n) => cardRow(n))));
  await world.finish();
  const { rows } = await world.app.ledger.pool.query<{ file_id: string }>('SELECT file_id FROM file');
  batch = `${rows[0]!.file_id}/1`;
});
afterAll(() => world.close());

describe('exceptions', () => {
  it('lists what waits, and status names the command', async () => {
    const { status, out, err } = await world.paydrop('exceptions');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toContain(batch);
    expect(out).toContain('2 result rows for 3 sent rows, 1 of them differs');
    expect((await world.paydrop('status')).out).toContain('paydrop exceptions');
  });

  it('shows both sides of one, the missing row as one gap', async () => {
    const { status, out, err } = await world.paydrop('exceptions', 'monday.csv/1');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toContain('3 rows sent, 2 came back, 1 differs.');
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/^ *3 +3 +C-3 +25\.00 +number ending 2220 +<$/);
    expect(out).not.toContain(CARD);
  });

  it('shows all rows, and JSON, on request', async () => {
    const all = JSON.parse((await world.paydrop('exceptions', batch, '--all', '--json')).out);
    expect(all).toMatchObject({ batch, differing: 1, sentRows: 3, resultRows: 2, rows: [{}, {}, { isSame: false }] });
    const few = JSON.parse((await world.paydrop('exceptions', batch, '--json')).out);
    expect(few.rows).toHaveLength(1);
    expect(JSON.parse((await world.paydrop('exceptions', '--json')).out)).toMatchObject([{ name: 'monday.csv' }]);
  });

  it.each([
    ['monday.csv/2', /find batch 2/],
    ['monday.csv', /not written as file\/number/],
  ])('%s: status 1 and a sentence', async (words, sentence) => {
    const { status, out, err } = await world.paydrop('exceptions', words);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(sentence);
  });

  it('says that there is no result of a batch that is not that far', async () => {
    await world.app.ledger.pool.query('UPDATE batch SET result_sha256 = NULL');
    await world.forceState('batch', 'submitted');
    const { status, err } = await world.paydrop('exceptions', batch);
    expect(status).toBe(1);
    expect(err).toContain('there is no result of it yet');
  });
});
