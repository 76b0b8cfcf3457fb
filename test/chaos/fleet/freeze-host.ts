import { setTimeout as sleep } from 'node:timers/promises';
import type { Order } from '../support/order.ts';
import { type ActionOf, goBack, LONGEST_WAY_MS, type Play } from './act-steps.ts';
import type { Fleet, FleetHost } from './open-fleet.ts';
import { waitToBeToldOf } from './person.ts';

/**
 * Freezes a host with an intent that only the replaced ledger knows. The host goes on once the others wait for it, or
 * once a second process of it has reported and worked.
 */
export async function freezeHost({ at, hasSecond }: ActionOf<'freeze-host'>, play: Play): Promise<string | undefined> {
  const { fleet, count, dropFiles } = play;
  // It freezes before the intent first, so that the copy holds the batch but not the call.
  const order: Order = { point: 'submit.body-opened', hits: 1, freeze: { next: { ...at, hits: 1, freeze: {} } } };
  await Promise.all(fleet.hosts.map((host) => host.daemon.arm(order)));
  await dropFiles();
  const host = await waitForFrozen(fleet.hosts);
  if (!host) return 'no host has taken up a batch';
  for (const other of fleet.hosts) if (other !== host) await other.daemon.arm(undefined);
  await fleet.server.copy();
  host.daemon.thaw();
  if (!(await waitForFrozen([host]))) return `${host.name} has not come to ${at.point}`;
  await goBack(play);
  count(
    `freeze-host: one stood still at ${at.point} while the ledger went back${hasSecond ? ', another process of it went on' : ''}`,
  );
  const trouble = hasSecond ? await workBeside(host) : await seeItAwaited(fleet, host);
  return trouble ?? (await finishCall(host));
}

/** Lets the host go on, and waits until it logs the verdict of its call. */
async function finishCall(host: FleetHost): Promise<string | undefined> {
  const { length } = await host.log();
  host.daemon.thaw();
  for (const end = performance.now() + LONGEST_WAY_MS; performance.now() < end; await sleep(50)) {
    if (/"attempt":\d+,"verdict":/.test((await host.log()).slice(length))) return undefined;
  }
  return `${host.name} has not ended its call`;
}

async function waitForFrozen(hosts: readonly FleetHost[]): Promise<FleetHost | undefined> {
  for (const end = performance.now() + LONGEST_WAY_MS; performance.now() < end; await sleep(10)) {
    for (const host of hosts) if (await host.daemon.isFrozen()) return host;
  }
  return undefined;
}

async function workBeside(host: FleetHost): Promise<string | undefined> {
  const { status, said } = await host.run('run', '--once');
  return [0, 2, 3, 4, 5].includes(status) ? undefined : `"run --once" ended with ${status}: ${said}`;
}

async function seeItAwaited(fleet: Fleet, host: FleetHost): Promise<string | undefined> {
  return fleet.hosts.length === 1 ? undefined : waitToBeToldOf(fleet, host.name);
}
