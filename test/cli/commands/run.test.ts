import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { startReceiver } from '../../support/receiver.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
beforeEach(async () => {
  world = await openCliWorld();
});
afterEach(() => world.close());

describe('run', () => {
  it('without --once says what to type', async () => {
    const { status, out, err } = await world.paydrop('run');
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(/^Cannot run: .*"paydrop run --once".*"paydrop start"/);
    for (const timeout of ['0', '-1', 'soon']) {
      expect(await world.paydrop('run', '--once', '--timeout', timeout)).toMatchObject({
        status: 1,
        err: expect.stringContaining('--timeout wants a number of seconds above 0'),
      });
    }
  });

  it('tells of what came to wait before it ends', async () => {
    await world.close();
    const receiver = await startReceiver();
    const alarms = [{ by: 'webhook', url: receiver.url, secret: 'the key' }];
    world = await openCliWorld({ settings: { alarms, sweepMs: 3_600_000 } });
    await world.drop('card', 'empty.csv', '');
    await world.drop('card', 'twice.csv', lines([cardRow(2), cardRow(2)]));
    expect(await world.paydrop('run', '--once')).toMatchObject({ status: 3 });
    const told = receiver.received.map(({ body }) => body.toString()).join();
    expect(told).toContain('"kind":"file_held"');
    expect(told).toContain('"kind":"file_refused"');
    await receiver.close();
  });

  it('takes what lies there to its end: 0, 2 for a refused file, 3 for a held one', async () => {
    expect(await world.paydrop('run', '--once')).toEqual({ status: 0, out: 'No file came to a new state.\n', err: '' });

    await world.drop('card', 'good.csv', lines([cardRow(1)]));
    const good = await world.paydrop('run', '--once');
    expect(good).toMatchObject({ status: 0, err: '' });
    expect(good.out).toMatch(/^good\.csv .*completed +1 +1 approved +25\.00$/m);

    await world.drop('card', 'empty.csv', '');
    const refused = await world.paydrop('run', '--once', '--json');
    expect(refused).toMatchObject({ status: 2, err: '' });
    expect(JSON.parse(refused.out)).toMatchObject([{ name: 'empty.csv', state: 'rejected', reasonCode: 'EMPTY' }]);

    await world.drop('card', 'twice.csv', lines([cardRow(2), cardRow(2)]));
    const held = await world.paydrop('run', '--once');
    expect(held).toMatchObject({ status: 3, err: 'Something waits for a person: see "paydrop status".\n' });
    expect(held.out).toMatch(/twice\.csv .*held .*nothing sent: DUPLICATE_ROW/);
    expect(await world.paydrop('run', '--once')).toMatchObject({ status: 3 });
  });

  it('gives up after --timeout, and the next run goes on', async () => {
    await world.drop('card', 'slow.csv', lines([cardRow(1)]));
    const late = await world.paydrop('run', '--once', '--timeout', '0.01');
    expect(late.status).toBe(5);
    expect(late.err).toMatch(/^Cannot bring everything to its end: .*work goes on at the next run/);
    expect(await world.paydrop('run', '--once')).toMatchObject({ status: 0 });
    expect(await world.states()).toEqual({ 'slow.csv': 'completed' });
  });

  it('comes to a tidy end at a signal', async () => {
    await world.drop('card', 'slow.csv', lines([cardRow(1)]));
    const before = process.listeners('SIGTERM');
    const running = world.paydrop('run', '--once');
    const listeners = () => process.listenerCount('SIGTERM');
    await expect.poll(listeners, { interval: 5 }).toBe(before.length + 1);
    const hear = process.listeners('SIGTERM').find((listener) => !before.includes(listener)) as () => void;
    hear();
    expect(await running).toMatchObject({
      status: 5,
      err: 'Cannot bring everything to its end: it was stopped. The work goes on at the next run.\n',
    });
  });
});
