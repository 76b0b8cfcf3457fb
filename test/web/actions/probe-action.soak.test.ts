import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doIt, openAction } from '../support/action-page.ts';
import type { TestBrowser } from '../support/dashboard-world.ts';
import { type DoubtWorld, openDoubtWorld } from '../support/doubt-world.ts';

let world: DoubtWorld;
let operator: TestBrowser;
let id: number;
beforeAll(async () => {
  world = await openDoubtWorld({ other: {}, probed: {} });
  operator = await world.as('operator');
  id = Number(world.idOf('probed'));
});
afterAll(() => world.close());

async function path(): Promise<string> {
  return `${await world.pathOf('probed')}/do/probe`;
}

describe('probe', () => {
  it('says that it only reads, and that there is nothing to go by', async () => {
    const { status, words, text } = await openAction(operator, await path());
    expect(status).toBe(200);
    expect(words).toContain('This only reads and changes nothing.');
    expect(words).toContain('The account has no other batch to compare with');
    expect(text).not.toContain('name="reason"');
  });

  it.each([
    ['no numbers', { from: 'one', to: 'two' }],
    ['the wrong way round', { from: '9', to: '1' }],
    ['too many', { from: '1', to: '101' }],
    ['half of it', { from: '1', to: '' }],
  ])('refuses a range that is %s, and keeps what was written', async (_, range) => {
    const { status, text } = await doIt(operator, await path(), range);
    expect([status, text]).toEqual([400, expect.stringContaining(`value="${range.from}"`)]);
  });

  it('finds the id among others, changes nothing, and leads to the action that adopts it', async () => {
    const found = await doIt(operator, await path(), { from: String(id - 1), to: String(id + 1) });
    expect(found.status).toBe(200);
    expect(found.words).toContain(`Batch id ${id} matches in every row. Nothing was changed yet.`);
    expect(found.words).toContain('matches in every row');
    expect(found.words).toContain('Asked for 3 ids');
    expect((await world.batchOf('probed')).state).toBe('unknown');
    const [, link = ''] = /<a href="([^"]+)">Adopt batch id/.exec(found.text)!;
    expect((await doIt(operator, link)).status).toBe(200);
    expect(await world.batchOf('probed')).toMatchObject({ state: 'submitted', batch_id: String(id) });
  });

  it('suggests the range between the ids that the account got before and after the call', async () => {
    await world.finish(60_000);
    const { rows } = await world.app.ledger.pool.query<{ before: string }>(
      `SELECT max(batch_id) AS before FROM batch WHERE account = 'probed'`,
    );
    world.service.faults.plan({ kind: 'booked-then-reset', operation: 'processCreditCardBatch' });
    await world.drop(
      'probed',
      'next.csv',
      '06/15/2026,C-99,Ada,Byron,1 Mill Lane,Troy,NY,12180,25.00,VISA,4222222222222220,12/35\n',
    );
    await world.finish(60_000);
    const { rows: next } = await world.app.ledger.pool.query<{ file_id: string }>(
      `SELECT file_id FROM batch WHERE account = 'probed' AND state = 'unknown'`,
    );
    const { text } = await openAction(operator, `/files/${next[0]!.file_id}/batches/1/do/probe`);
    expect(text).toContain(`name="from" type="text" value="${Number(rows[0]!.before) + 1}"`);
  });

  it('says that no id of a range is the one, and that this shows little', async () => {
    const { rows } = await world.app.ledger.pool.query<{ file_id: string }>(
      `SELECT file_id FROM batch WHERE account = 'probed' AND state = 'unknown'`,
    );
    const range = { from: '900', to: '901' };
    const { words } = await doIt(operator, `/files/${rows[0]!.file_id}/batches/1/do/probe`, range);
    expect(words).toContain('This does not prove that the service never received it.');
    expect(words).toContain('2 unknown to the service');
  });
});
