import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';
import { startHere } from '../support/run-here.ts';

/** The tests build on each other: what needs approval comes last, because it decides the status from then on. */
let world: CliWorld;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  const alarms = [{ by: 'webhook', url: receiver.url, secret: 'the key' }];
  // Only the first sweep of each run happens.
  world = await openCliWorld({ settings: { alarms, sweepMs: 3_600_000 } });
});
afterAll(async () => {
  await world.close();
  await receiver.close();
});

const told = () => receiver.received.map(({ body }) => body.toString()).join();

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

  it('takes what lies there to its end: 0', async () => {
    expect(await world.paydrop('run', '--once')).toEqual({ status: 0, out: 'No file came to a new state.\n', err: '' });

    await world.drop('card', 'good.csv', lines([cardRow(1)]));
    const good = await world.paydrop('run', '--once');
    expect(good).toMatchObject({ status: 0, err: '' });
    expect(good.out).toMatch(/^good\.csv .*completed +1 +1 approved +25\.00$/m);
  });

  it('gives up after --timeout, and comes to a tidy end at a signal', async () => {
    await world.drop('card', 'slow.csv', lines([cardRow(2)]));
    const late = await world.paydrop('run', '--once', '--timeout', '0.01');
    expect(late.status).toBe(5);
    expect(late.err).toMatch(/^Cannot bring everything to its end: .*work goes on at the next run/);

    const stopped = startHere(['--dir', world.root, 'run', '--once']);
    await stopped.interrupt();
    expect(await stopped.ended).toMatchObject({
      status: 5,
      err: 'Cannot bring everything to its end: it was stopped. The work goes on at the next run.\n',
    });
  });

  it('goes on with what an earlier run has left', async () => {
    expect(await world.paydrop('run', '--once')).toMatchObject({ status: 0 });
    expect(await world.states()).toEqual({ 'good.csv': 'completed', 'slow.csv': 'completed' });
  });

  it('says 2 for a refused file, 3 for a held one, and tells of both before it ends', async () => {
    expect(told()).not.toContain('"kind":"file_');
    await world.drop('card', 'empty.csv', '');
    const refused = await world.paydrop('run', '--once', '--json');
    expect(told()).toContain('"kind":"file_refused"');
    expect(refused).toMatchObject({ status: 2, err: '' });
    expect(JSON.parse(refused.out)).toMatchObject([{ name: 'empty.csv', state: 'rejected', reasonCode: 'EMPTY' }]);

    await world.drop('card', 'twice.csv', lines([cardRow(3), cardRow(3)]));
    const held = await world.paydrop('run', '--once');
    expect(told()).toContain('"kind":"file_held"');
    expect(held).toMatchObject({ status: 3, err: 'Something waits for a person: see "paydrop status".\n' });
    expect(held.out).toMatch(/twice\.csv .*held .*nothing sent: .* \(DUPLICATE_ROW\)/);
    expect(await world.paydrop('run', '--once')).toMatchObject({ status: 3 });
  });
});
