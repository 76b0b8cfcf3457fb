import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentCodeOf } from '../support/installation.ts';
import { takenAnswer } from '../support/scripted-service.ts';
import { openRelayedSite, type RelayedSite } from './support/relayed-site.ts';

/** The network to the database fails when the service's answer comes, and another process puts the batch in doubt. */

const PATIENT = { timeout: 120_000, interval: 50 };
let opened: RelayedSite;
beforeAll(async () => {
  opened = await openRelayedSite({ accounts: ['watched'] });
});
afterAll(() => opened?.close());

it('the answer is kept beside the doubt that the other one has put the batch in, and nothing leaves again', async () => {
  const { service, site, relay, daemon } = opened;
  const account = 'watched';
  service.play(agentCodeOf(account), (socket, request) => {
    relay.cut();
    socket.end(takenAnswer(request, '7800001'));
  });
  await site.dropCharges(account, 'june.csv', 4);
  const said = await daemon.said(/the ledger does not take the answer of the service yet/);
  expect(said['answer']).toEqual({ verdict: 'submitted', batchId: '7800001' });
  await expect
    .poll(() => site.journal(account), PATIENT)
    .toMatchObject([{ attempt: 1 }, { attempt: 1, answer: { verdict: 'submitted', batchId: '7800001' } }]);
  const other = site.start();
  await other.said(/paydrop is running/);
  await expect
    .poll(async () => (await site.batches(account)).map((batch) => batch.state), PATIENT)
    .toEqual(['unknown', 'ready']);

  relay.heal();
  await expect.poll(() => site.moves(account), PATIENT).toEqual(['prepare', 'send', 'doubt', 'late-answer']);
  for (const running of [daemon, other]) {
    running.signal('SIGTERM');
    expect(await running.ended).toBe(0);
  }
  expect(service.posts(agentCodeOf(account))).toBe(1);
  expect((await site.batches(account)).map((batch) => batch.state)).toEqual(['unknown', 'ready']);
});
