import { sweep } from '../../../workers/upkeep/sweep.ts';
import { type Meanwhile, meanwhile, trying } from '../steps/meanwhile.ts';
import { chooseDueWork, runJob } from '../steps/stages.ts';
import { tell } from '../steps/step.ts';
import type { World } from '../world.ts';
import type { Instance } from '../instance/open-instance.ts';
import { keepCopy, MOST_SERVERS, moveInstance, putBack, restartDatabase, splitServers } from './servers.ts';

/** What may happen to servers and other hosts while an instance is in the middle of a step, such as a call. */
export const ELSEWHERE: readonly Meanwhile[] = [
  meanwhile('a copy of the ledger is made', 1, (world) => telling(world, keepCopy)),
  meanwhile('the database is restarted', 1, (world) => telling(world, restartDatabase)),
  meanwhile('the ledger goes back', 3, async (world) => {
    if (world.installation.copies.length === 0) await telling(world, keepCopy);
    await telling(world, putBack);
    return letOthersGoOn(world);
  }),
  meanwhile('another server takes over', 3, async (world) => {
    if (world.installation.servers.length === MOST_SERVERS) return false;
    if (world.installation.copies.length === 0) await telling(world, keepCopy);
    await telling(world, splitServers);
    for (let moves = world.choose.between(0, 3); moves > 0; moves -= 1) await telling(world, moveInstance);
    return letOthersGoOn(world);
  }),
  meanwhile('all but this process reach another server', 3, async (world) => {
    const { installation } = world;
    if (installation.servers.length === MOST_SERVERS) return false;
    if (installation.copies.length === 0) await telling(world, keepCopy);
    await telling(world, splitServers);
    await startBesides(world);
    for (const other of idleOf(world))
      if (other.server() !== installation.present) await other.moveTo(installation.present);
    await letOthersGoOn(world);
    return letOthersGoOn(world);
  }),
  meanwhile('the other hosts go on', 2, letOthersGoOn),
];

async function telling(world: World, act: (world: World) => Promise<string>): Promise<boolean> {
  tell(world, `  meanwhile ${await act(world)}`);
  return true;
}

function idleOf(world: World): Instance[] {
  return world.instances.filter((instance) => !world.busy.has(instance));
}

/** Starts processes until every host has one that is not in the middle of a step. */
async function startBesides(world: World): Promise<void> {
  for (const host of world.installation.hosts) {
    if (host.isAway || idleOf(world).some((instance) => instance.host === host)) continue;
    const instance = await world.open(host);
    await trying(world, `${instance.name} starts`, () => instance.recover());
  }
}

/** Lets idle instances report, and run work that is due. */
async function letOthersGoOn(world: World): Promise<boolean> {
  const others = world.choose.shuffle(idleOf(world));
  for (const other of others) await trying(world, `${other.name} sweeps`, () => other.run((app) => sweep(app)));
  for (const other of others) {
    const work = await chooseDueWork(world);
    if (work) await trying(world, `${other.name} runs ${work.name} for ${work.about}`, () => runJob(other, work));
  }
  return true;
}
