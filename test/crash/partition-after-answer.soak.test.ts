import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DatabaseRelay, relayDatabase } from '../support/database-relay.ts';
import { agentCodeOf } from '../support/installation.ts';
import { type ScriptedService, startScriptedService, takenAnswer } from '../support/scripted-service.ts';
import { type CrashSite, openCrashSite } from './support/crash-site.ts';
import type { Daemon } from './support/daemon.ts';

/** The network to the database is gone when the answer of the service comes, and another process is cleverer. */

const PATIENT = { timeout: 60_000, interval: 50 };
let service: ScriptedService;
let site: CrashSite;
let relay: DatabaseRelay;
let daemon: Daemon;
beforeAll(async () => {
  service = await startScriptedService();
  site = await openCrashSite({
    accounts: ['watched'],
    serviceUrl: service.url,
    settings: { sweepMs: 200, rescanMs: 300, batch: { maxRows: 2 } },
  });
  relay = await relayDatabase(site.databaseUrl);
  daemon = site.start({ env: { DATABASE_URL: relay.url } });
  await daemon.said(/paydrop is running/);
});
afterAll(async () => {
  await site?.close();
  relay?.close();
  await service?.close();
});

it('the answer is kept beside the doubt that the other one has put the batch in, and nothing leaves again', async () => {
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
}, 120_000);
