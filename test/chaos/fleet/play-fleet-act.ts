import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { upTo } from '../../support/payment-rows.ts';
import { describeUnrest, type Scene } from '../tell-story.ts';
import type { Order } from '../support/acts.ts';
import { arm } from '../support/service.ts';
import {
  type ActionOf,
  cloneJournal,
  cutJournal,
  type FleetAct,
  goBack,
  type Left,
  LONGEST_WAY_MS,
  loseJournal,
  otherThan,
  type Play,
  rollBack,
  waitFor,
  workOn,
  workTo,
} from './fleet-acts.ts';
import type { Fleet, FleetHost } from './open-fleet.ts';
import { letGoOn, waitForOpening, waitToBeToldOf } from './person.ts';

/**
 * Drops fresh files, does what the act says while they are processed, and restarts what has died. Then an operator does
 * what the product asks for.
 * @returns what went wrong, or undefined when all is well
 */
export async function playFleetAct(act: FleetAct, fleet: Fleet, scene: Scene): Promise<string | undefined> {
  const count = (name: string) => {
    scene.tally[name] = (scene.tally[name] ?? 0) + 1;
  };
  const left = await strike(act, { ...scene, fleet, count });
  const trouble = left.trouble ?? (await settle(fleet, scene.account, { isFresh: act.isFresh, ...left }));
  await left.undo?.();
  return trouble;
}

async function strike(act: FleetAct, play: Play): Promise<Left> {
  const { fleet, count, dropFiles } = play;
  switch (act.kind) {
    case 'point':
      return { trouble: await killAt(act.order, play) };
    case 'moment':
      await dropFiles();
      await sleep(act.afterMs);
      await fleet.hosts[act.host]!.daemon.kill();
      count('daemon, at a random moment');
      return {};
    case 'sandbox':
      await dropFiles();
      await sleep(act.afterMs);
      await fleet.service.kill();
      count('sandbox');
      await sleep(act.downMs);
      await fleet.service.restart();
      return {};
    case 'postgres':
      return killServer(act, play);
    case 'copy-back':
      return copyBack(act, play);
    case 'promote-stale':
      return promoteStale(act, play);
    case 'restore-on-other-host':
      return restoreElsewhere(act, play);
    case 'freeze-host':
      return { trouble: await freezeHost(act, play), isForgotten: true };
    case 'lose-journal':
      return loseJournal(act, play);
    case 'older-journal':
      return cutJournal(act, play);
    case 'clone-journal':
      return cloneJournal(act, play);
    case 'roll-back-machine':
      return rollBack(act, play);
  }
}

/** Opens a closed ledger, resumes stopped accounts, and drops again what the ledger seems not to know. */
async function settle(
  fleet: Fleet,
  account: string,
  { copies, isFresh = false, isForgotten = false }: Left,
): Promise<string | undefined> {
  const closed = await waitForOpening(fleet, copies ?? new Map());
  if (closed !== undefined) return closed;
  if (isFresh) await Promise.all(fleet.hosts.map((host) => host.daemon.kill()));
  await fleet.startAll();
  if ((await fleet.waitForRest(LONGEST_WAY_MS)) === undefined)
    return `not at rest after the ledger was opened: ${await describeUnrest(fleet)}`;
  const held = await letGoOn(fleet);
  if (held !== undefined || !isForgotten) return held;
  const known = new Set((await fleet.ledger.query<{ name: string }>('SELECT name FROM file')).map(({ name }) => name));
  const booked = new Set((await fleet.service.books()).map((row) => row.invoice));
  // Only the service knows the calls of a lost journal, so the sender checks its books.
  const isCharged = (invoice: string) => fleet.accounts.compared.has(account) && booked.has(invoice);
  for (const drop of fleet.drops) {
    if (drop.account !== account || known.has(drop.name)) continue;
    if (!drop.rows.some(({ invoice }) => isCharged(invoice))) await fleet.drop(drop);
  }
  return undefined;
}

/** Kills the first host that passes a crash point, and no other. */
async function killAt(order: Order, { fleet, count, dropFiles }: Play): Promise<string | undefined> {
  await Promise.all(fleet.hosts.map((host) => arm(host.daemon, order)));
  await dropFiles();
  const dead = () => fleet.hosts.filter((host) => !host.daemon.isAlive());
  await waitFor(fleet, async () => dead().length > 0);
  const name = order.move === undefined ? order.point : `${order.point} of ${order.move}`;
  const deaths = dead().length;
  upTo(deaths).forEach(() => count(`point ${name}`));
  for (const { daemon } of fleet.hosts) if (daemon.isAlive()) await arm(daemon, undefined);
  await fleet.startAll();
  return deaths > 0 ? undefined : `${name} was not reached`;
}

async function killServer(
  { afterMs, off, isReported = false }: ActionOf<'postgres'>,
  { fleet, count, dropFiles }: Play,
): Promise<Left> {
  await dropFiles();
  await sleep(afterMs);
  const host = off === undefined ? undefined : fleet.hosts[off]!;
  await host?.daemon.kill();
  await fleet.server.kill();
  await fleet.ledger.close();
  count('postgres');
  await fleet.server.restart();
  if (!host) return {};
  count('daemon, as the server died');
  const other = otherThan(off!, fleet);
  if (other === host) return {};
  const trouble = await waitToBeToldOf(fleet, host.name);
  if (trouble !== undefined || !isReported) return { trouble };
  const { status, said } = await other.run('sender', 'report', '--from', host.journal);
  count('journal of a dead host reported by another');
  return { trouble: [0, 5].includes(status) ? undefined : `"sender report" ended with ${status}: ${said}` };
}

async function copyBack(act: ActionOf<'copy-back'>, play: Play): Promise<Left> {
  await workTo(act.from, play);
  await play.fleet.server.copy();
  await workOn(act, play);
  await goBack(play);
  play.count('copy-back: a copied folder of the database put in its place');
  return { isForgotten: true };
}

async function promoteStale(act: ActionOf<'promote-stale'>, play: Play): Promise<Left> {
  const { fleet, account, count } = play;
  await fleet.server.openStandby();
  await workTo(act.from, play);
  await fleet.server.cutStandby();
  await workOn(act, play);
  fleet.accounts.forgotten.add(account);
  await fleet.server.promoteStandby(act.splitMs);
  await fleet.ledger.close();
  count('postgres');
  count(`promote-stale: a standby that lags promoted${act.splitMs > 0 ? ', its primary alive for a while' : ''}`);
  return { isForgotten: true };
}

async function restoreElsewhere(act: ActionOf<'restore-on-other-host'>, play: Play): Promise<Left> {
  const { fleet, account, count } = play;
  const sender = fleet.hosts[act.host]!;
  const other = otherThan(act.host, fleet);
  if (other !== sender) await other.daemon.stop();
  await workTo(act.from, play);
  const backup = join(fleet.server.folder, `${account}.backup`);
  const made = await sender.run('backup', backup);
  if (made.status !== 0) return { trouble: `"backup" ended with ${made.status}: ${made.said}` };
  await workOn(act, play);
  await Promise.all(fleet.hosts.map((host) => host.daemon.stop()));
  fleet.accounts.forgotten.add(account);
  const restored = await other.run('restore', backup, '--replace');
  if (![0, 5].includes(restored.status))
    return { trouble: `"restore" ended with ${restored.status}: ${restored.said}` };
  count('restore-on-other-host: a backup restored on a host that sent nothing of it');
  await other.start();
  return { trouble: other === sender ? undefined : await waitToBeToldOf(fleet, sender.name), isForgotten: true };
}

/**
 * Freezes a host with an intent that only the replaced ledger knows. The host goes on once the others wait for it, or
 * once a second process of it has reported and worked.
 */
async function freezeHost({ at, hasSecond }: ActionOf<'freeze-host'>, play: Play): Promise<string | undefined> {
  const { fleet, count, dropFiles } = play;
  // It freezes before the intent first, so that the copy holds the batch but not the call.
  const order: Order = { point: 'submit.body-opened', hits: 1, freeze: { next: { ...at, hits: 1, freeze: {} } } };
  await Promise.all(fleet.hosts.map((host) => arm(host.daemon, order)));
  await dropFiles();
  const host = await waitForFrozen(fleet.hosts);
  if (!host) return 'no host has taken up a batch';
  for (const other of fleet.hosts) if (other !== host) await arm(other.daemon, undefined);
  await fleet.server.copy();
  host.daemon.signal('SIGCONT');
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
  host.daemon.signal('SIGCONT');
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
