import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { loseQueue, query } from '../../workers/support/story.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld();
  await world.paydrop('account', 'pause', 'main', '--reason', 'wait');
  await world.drop('ach-charge', 'june.csv', lines(upTo(2).map((n) => achRow(n))));
  await world.finish();
  await loseQueue(world.app);
});
afterAll(() => world.close());

describe('requeue', () => {
  it('asks for the jobs of a file, which send nothing while the account is paused', async () => {
    const { status, out, err } = await world.paydrop('requeue', 'june.csv');
    expect({ status, out, err }).toEqual({ status: 0, out: 'Created: submit of batch 1, deliver.\n', err: '' });
    expect((await world.app.queue.ids('submit', 'waiting')).size).toBe(1);
    await world.finish();
    expect(world.sandbox.books()).toEqual([]);
  });

  it('says when there is nothing to ask for', async () => {
    await query(world.app, `UPDATE batch SET state = 'cancelled'`);
    const { status, out } = await world.paydrop('requeue', 'june.csv/1');
    expect({ status, out }).toEqual({
      status: 0,
      out: 'Nothing to create: its state is cancelled. See "paydrop why june.csv/1".\n',
    });
    expect(JSON.parse((await world.paydrop('requeue', 'june.csv/1', '--json')).out)).toMatchObject({ asked: [] });
  });

  it('wants something that is known', async () => {
    expect(await world.paydrop('requeue', 'nobody.csv')).toMatchObject({ status: 1, out: '' });
  });
});
