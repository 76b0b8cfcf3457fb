import { sweep } from '../../../workers/upkeep/sweep.ts';
import { readAdmission } from '../../../src/ledger/admission/read-admission.ts';
import { runStage } from '../steps/run-stage.ts';
import { startInstance } from '../steps/start-instance.ts';
import { WRONG } from '../steps/steps.ts';
import { tell } from '../steps/step.ts';
import type { World } from '../world.ts';
import type { Host } from './installation.ts';
import { findLostJournal, helpHost } from './persons.ts';
import { endOldServers } from './servers.ts';

/** Putting one journal back may reveal that another is missing, and a lost one is found at the end. */
const ROUNDS = 5;

/**
 * Keeps one server and brings every host back. With whole journals the ledger opens without a person. Otherwise it
 * names the journals it waits for, and a person acts on them.
 * @returns what is wrong with that
 */
export async function bringHostsBack(world: World): Promise<string[]> {
  const { hosts } = world.installation;
  tell(world, await endOldServers(world));
  const wrong = (await startEverywhere(world)).filter(
    (wait) => !hosts.some((host) => host.journal !== 'whole' && isAbout(wait, host)),
  );
  let hasLooked = false;
  for (let round = 0; round < ROUNDS && wrong.length === 0; round += 1) {
    const isOpen = (await readAdmission(world.office)).isOpen;
    const damaged = hosts.filter(({ journal }) => journal !== 'whole');
    if (isOpen && (hasLooked || damaged.length === 0)) return [];
    for (const host of damaged) {
      const done = isOpen ? await findLostJournal(world, host) : await helpHost(world, host);
      if (done !== undefined) tell(world, `a person ${done}`);
    }
    hasLooked ||= isOpen;
    await startEverywhere(world);
  }
  const { isOpen, waits } = await readAdmission(world.office);
  if (isOpen) return wrong.map((wait) => `nobody is missing, and yet: ${wait}`);
  return [`the ledger stays closed although all hosts are back: ${waits.join(' ')}`];
}

/** Starts an instance on every host and sweeps. Returns what the ledger waits for then. */
async function startEverywhere(world: World): Promise<string[]> {
  for (const host of world.installation.hosts) {
    host.isAway = false;
    if (!world.instances.some((instance) => instance.host === host)) await startInstance(world, 0, host);
  }
  await sweepEverywhere(world);
  return (await readAdmission(world.office)).waits;
}

function isAbout(wait: string, host: Host): boolean {
  return wait.includes(`host ${host.name}`) || wait.includes(`name ${host.name}`);
}

/** Sweeps twice, because an instance that reported first learns of the others at its next sweep. */
export async function sweepEverywhere(world: World): Promise<void> {
  for (let round = 0; round < 2; round += 1)
    for (const instance of world.instances.slice())
      await runStage(
        world,
        instance,
        { stage: 'sweep', what: 'sweeps', expected: WRONG },
        () => instance.run((app) => sweep(app)),
        0,
      );
}
