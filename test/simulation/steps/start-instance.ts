import type { Host } from '../hosts/installation.ts';
import type { World } from '../world.ts';
import { runStage } from './run-stage.ts';

/** @param host where it starts; by default a host without an instance */
export async function startInstance(world: World, likelihood = 0.25, host?: Host): Promise<void> {
  const instance = await world.open(host);
  const doing = { stage: 'start', what: 'starts' } as const;
  const ended = await runStage(world, instance, doing, () => instance.recover(), likelihood);
  // A process that cannot start ends.
  if (ended === 'failed') await world.remove(instance);
}
