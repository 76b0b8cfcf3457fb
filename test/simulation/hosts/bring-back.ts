import { sweep } from '../../../workers/sweep.ts';
import { readAdmission } from '../../../src/ledger/admission/read-admission.ts';
import { runStation } from '../steps/run-station.ts';
import { startInstance } from '../steps/start-instance.ts';
import { WRONG } from '../steps/steps.ts';
import { tell } from '../steps/step.ts';
import type { World } from '../world.ts';
import { endOldServers } from './servers.ts';

/**
 * One server is left, and every host is back.
 * @returns why the ledger is not open, although nobody is missing
 */
export async function bringHostsBack(world: World): Promise<string[]> {
  tell(world, await endOldServers(world));
  for (const host of world.installation.hosts) {
    host.isAway = false;
    if (!world.instances.some((instance) => instance.host === host)) await startInstance(world, 0, host);
  }
  await sweepEverywhere(world);
  const { isOpen, waits } = await readAdmission(world.office);
  return isOpen ? [] : [`all hosts are back and the ledger is closed: ${waits.join(' ')}`];
}

/** Twice: one that reported first hears of the others at its next sweep. */
export async function sweepEverywhere(world: World): Promise<void> {
  for (let round = 0; round < 2; round += 1)
    for (const instance of [...world.instances])
      await runStation(
        world,
        instance,
        { station: 'sweep', what: 'sweeps', expected: WRONG },
        () => instance.run((app) => sweep(app)),
        0,
      );
}
