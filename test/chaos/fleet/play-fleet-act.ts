import { setTimeout as sleep } from 'node:timers/promises';
import { describeUnrest, type Scene } from '../tell-story.ts';
import { type Left, LONGEST_WAY_MS, type Play } from './act-steps.ts';
import type { FleetAct } from './fleet-acts.ts';
import { freezeHost } from './freeze-host.ts';
import { cloneJournal, cutJournal, loseJournal, rollBack } from './journal-acts.ts';
import { killAt, killServer } from './kill-acts.ts';
import { copyBack, promoteStale, restoreElsewhere } from './ledger-acts.ts';
import type { Fleet } from './open-fleet.ts';
import { letGoOn, waitForOpening } from './person.ts';

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
