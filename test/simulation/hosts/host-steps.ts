import { PipelineError, reasonOf } from '../../../src/kernel/errors.ts';
import { startInstance } from '../steps/run-stage.ts';
import { shortened, type Step, tell } from '../steps/step.ts';
import type { World } from '../world.ts';
import {
  endOldServers,
  isWide,
  keepCopy,
  MOST_SERVERS,
  moveInstance,
  putBack,
  restartDatabase,
  restore,
  splitServers,
  writeBackupFile,
} from './installation.ts';
import { damageable, damageJournal, HOST_ACTS } from './persons.ts';

/** Steps that are possible only where several hosts send. */
export const HOST_STEPS: readonly Step[] = [
  step('a copy of the ledger is made', 4, () => true, keepCopy),
  step('the database is restarted', 1.5, () => true, restartDatabase),
  step('the ledger goes back', 4, hasCopy, putBack),
  step(
    'another server takes over with a copy',
    3,
    (world) => hasCopy(world) && world.installation.servers.length < MOST_SERVERS,
    splitServers,
  ),
  step('an instance reaches another server', 7, (world) => isSplit(world) && world.instances.length > 0, moveInstance),
  step('the older servers end', 2, isSplit, endOldServers),
  step('a backup is written', 2, () => true, writeBackupFile),
  step('a backup is restored', 5, ({ installation }) => installation.backup !== undefined, restore),
  step('a host goes away', 2, (world) => hostsAway(world, false).length > 1, goAway),
  step(
    'a journal is damaged',
    3,
    (world) => world.installation.losesJournals && damageable(world).length > 1,
    damageJournal,
  ),
  step('a person sees to the hosts', 5, () => true, letPersonAct),
  step('a host comes back', 4, (world) => hostsAway(world, true).length > 0, comeBack),
];

function step(
  name: string,
  weight: number,
  isPossible: (world: World) => boolean,
  take: (world: World) => Promise<string>,
): Step {
  return {
    name,
    weight,
    isPossible: (world) => isWide(world) && isPossible(world),
    take: async (world) => void tell(world, await take(world)),
  };
}

function hasCopy({ installation }: World): boolean {
  return installation.copies.length > 0;
}

function isSplit({ installation }: World): boolean {
  return installation.servers.length > 1;
}

function hostsAway({ installation }: World, isAway: boolean) {
  return installation.hosts.filter((host) => host.isAway === isAway);
}

async function goAway(world: World): Promise<string> {
  const host = world.choose.one(hostsAway(world, false));
  host.isAway = true;
  for (const instance of world.instances.filter((one) => one.host === host)) await world.remove(instance);
  return `host ${host.name} goes away`;
}

async function comeBack(world: World): Promise<string> {
  const host = world.choose.one(hostsAway(world, true));
  host.isAway = false;
  await startInstance(world, 0.25, host);
  return `that was host ${host.name}, which is back`;
}

async function letPersonAct(world: World): Promise<string> {
  for (const act of world.choose.shuffle(HOST_ACTS)) {
    try {
      const done = await act.perform(world);
      if (done === undefined) continue;
      world.totals.count('acts', act.name);
      return `a person ${done}`;
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error;
      return `a person wants to ${act.name}, which is refused: ${shortened(reasonOf(error))}`;
    }
  }
  return 'a person looks at the hosts and finds nothing to do';
}
