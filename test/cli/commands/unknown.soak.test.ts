import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld({ account: { timeZone: 'America/Toronto' } });
});
afterAll(() => world.close());

const WAIT = { interval: 50 };

function stateOf({ rows }: { rows: { state: string }[] }): string | undefined {
  return rows[0]?.state;
}

describe('unknown list', () => {
  it('has nothing to say while nothing is in doubt', async () => {
    expect(await world.paydrop('unknown', 'list')).toEqual({ status: 0, out: 'No batch is in doubt.\n', err: '' });
    expect(JSON.parse((await world.paydrop('unknown', 'list', '--json')).out)).toEqual([]);
  });

  it('says what is known of a real batch in doubt, and a line of it resolves it', async () => {
    world.sandbox.faults.plan({ kind: 'booked-then-reset' });
    await world.drop('card', 'monday.csv', lines([cardRow(1), cardRow(2)]));
    const workers = await world.start();
    await expect
      .poll(async () => stateOf(await world.app.ledger.pool.query('SELECT state FROM batch')), WAIT)
      .toBe('unknown');
    await workers.stop();
    const { status, out, err } = await world.paydrop('unknown', 'list');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^1 batch is in doubt\. /);
    expect(out).toMatch(
      /Total +50\.00\n +Sent +\S+Z \(.* -0[45]:00\), attempt 1, to 127\.0\.0\.1:\d+\n +Written +\d+ bytes; the request has \d+/,
    );
    expect(out).toMatch(/Returned +nothing\n/);

    const [doubt] = JSON.parse((await world.paydrop('unknown', 'list', '--json')).out);
    expect(doubt).toMatchObject({ name: 'monday.csv', account: 'main', rows: 2, cents: 5_000, seenBatchIds: [] });
    const close = doubt.nextSteps
      .at(-1)
      .command.split(' ')
      .slice(doubt.nextSteps.at(-1).command.split(' ').indexOf('--dir'));
    expect(await world.paydrop(...close.slice(2))).toMatchObject({ status: 0, err: '' });
    expect(await world.paydrop('unknown', 'list')).toMatchObject({ out: 'No batch is in doubt.\n' });
  });
});
