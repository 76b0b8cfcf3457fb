import type { Host } from '../hosts/installation.ts';
import type { World } from '../world.ts';
import { runStation } from './run-station.ts';

/** @param host where it starts; by default a host without an instance */
export async function startInstance(world: World, likelihood = 0.25, host?: Host): Promise<void> {
  const instance = await world.open(host);
  const doing = { station: 'start', what: 'starts' } as const;
  const ended = await runStation(world, instance, doing, () => instance.recover(), likelihood);
  // A process that cannot start ends.
  if (ended === 'failed') await world.remove(instance);
}
