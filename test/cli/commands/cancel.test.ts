import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
const because = { actor: 'operator:ada', reason: 'wait' };
beforeAll(async () => {
  world = await openCliWorld({ settings: { batch: { maxRows: 2 } } });
  await pauseAccount(world.app.ledger, 'main', because);
  for (const [index, name] of ['recalled.csv', 'partly.csv'].entries())
    await world.drop('ach-charge', name, lines(upTo(4).map((n) => achRow(10 * index + n))));
  await world.finish();
});
afterAll(() => world.close());

describe('cancel', () => {
  it('wants a reason and something that is known', async () => {
    expect(await world.paydrop('cancel', 'recalled.csv')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop('cancel', 'nobody.csv', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop('cancel', 'recalled.csv/9', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
  });

  it('stops a file and a batch before they are sent, and the sender is told', async () => {
    const { status, out } = await world.paydrop('cancel', 'recalled.csv', '--reason', 'the sender recalls it');
    expect({ status, out }).toEqual({
      status: 0,
      out: 'Cancelled: 4 rows, 100.00 USD will never be sent.\nrecalled.csv is cancelled; its output files follow.\n',
    });
    const batch = await world.paydrop('cancel', 'partly.csv/2', '--reason', 'wrong amounts', '--json');
    expect(JSON.parse(batch.out)).toMatchObject({
      name: 'partly.csv',
      state: 'accepted',
      cancelled: [2],
      goingOn: [{ batchNo: 1, state: 'ready' }],
    });
    await resumeAccount(world.app.ledger, 'main', because);
    await world.finish();
    expect(await world.states()).toEqual({ 'recalled.csv': 'cancelled', 'partly.csv': 'completed' });
    expect(world.sandbox.books().map((row) => row.invoice)).toEqual(['A-11', 'A-12']);
    expect(Object.values(await world.outputs('cancelled')).join('')).toContain('Reason,the sender recalls it');
    const [result = ''] = Object.values(await world.outputs('result'));
    expect(result.match(/NOT_SENT/g)).toHaveLength(2);
    const [rejects = ''] = Object.values(await world.outputs('rejects'));
    expect(rejects).toMatch(/A-13.*never sent[^]*A-14.*never sent/);
  });

  it('is refused when it is over', async () => {
    const { status, err } = await world.paydrop('cancel', 'partly.csv', '--reason', 'too late');
    expect(status).toBe(5);
    expect(err).toContain('its state is completed');
  });
});
