import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentCodeOf } from '../support/installation.ts';
import { type ScriptedService, startScriptedService, take } from '../support/scripted-service.ts';
import { type CrashSite, openCrashSite } from './support/crash-site.ts';
import type { Daemon } from './support/daemon.ts';

/** SIGTERM, as a person, a service manager or a container sends it. */

let service: ScriptedService;
let site: CrashSite;
beforeAll(async () => {
  service = await startScriptedService();
  site = await openCrashSite({
    accounts: ['once', 'twice'],
    serviceUrl: service.url,
    settings: { sweepMs: 200, rescanMs: 300, batch: { maxRows: 2 } },
  });
});
afterAll(async () => {
  await site?.close();
  await service?.close();
});

/** Starts a process with a call in progress that the service answers only when told to. */
async function startWithCall(account: string): Promise<{ daemon: Daemon; answer: () => void }> {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    service.play(agentCodeOf(account), (socket, request) => {
      answer = () => {
        service.play(agentCodeOf(account), take);
        take(socket, request);
      };
      resolve();
    });
  });
  await site.dropCharges(account, 'june.csv', 6);
  const daemon = site.start();
  await asked;
  return { daemon, answer: () => answer() };
}

async function statesOf(account: string): Promise<string[]> {
  return (await site.batches(account)).map((batch) => batch.state);
}

describe('SIGTERM in the middle of a call', () => {
  it('once: the call is waited for, its answer recorded, nothing else begun, and the exit status is 0', async () => {
    const { daemon, answer } = await startWithCall('once');
    daemon.signal('SIGTERM');
    await daemon.said(/stopping: nothing new is sent/);
    // A new drop shows that nothing is claimed any more.
    await site.dropCharges('once', 'july.csv', 2);
    expect(await statesOf('once')).toEqual(['sending', 'ready', 'ready']);
    answer();
    expect(await daemon.ended).toBe(0);
    expect(await statesOf('once')).toEqual(['submitted', 'ready', 'ready']);
    expect(service.posts(agentCodeOf('once'))).toBe(1);
    expect(await site.query(`SELECT name FROM file WHERE account = 'once'`)).toEqual([{ name: 'june.csv' }]);
  });

  it('twice: it ends at once; the next start puts the call in doubt and loses nothing', async () => {
    const { daemon } = await startWithCall('twice');
    // A call of the other account that was cut off would be in doubt too.
    const allOf = (count: number) => Array.from({ length: count }, () => 'submitted');
    await expect.poll(() => statesOf('once')).toEqual(allOf(4));
    daemon.signal('SIGTERM');
    await daemon.said(/stopping: nothing new is sent/);
    daemon.signal('SIGTERM');
    expect(await daemon.ended).toBe('SIGTERM');
    expect(await statesOf('twice')).toEqual(['sending', 'ready', 'ready']);

    const next = site.start();
    await next.said(/paydrop is running/);
    await expect.poll(() => statesOf('twice'), { timeout: 120_000 }).toEqual(['unknown', 'ready', 'ready']);
    // The other account sends meanwhile, so there was enough time for a second send.
    await site.dropCharges('once', 'august.csv', 4);
    await expect.poll(() => statesOf('once')).toEqual(allOf(6));
    next.signal('SIGTERM');
    expect(await next.ended).toBe(0);
    expect(service.posts(agentCodeOf('twice'))).toBe(1);
    expect(await statesOf('twice')).toEqual(['unknown', 'ready', 'ready']);
  });
});
