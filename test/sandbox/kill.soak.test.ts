import { describe, it } from 'vitest';
import { killRepeatedly } from './support/kill-sandbox.ts';
import { useSandboxes } from './support/sandbox-world.ts';

const world = useSandboxes();

/** See kill.test.ts. */
describe('a sandbox killed with SIGKILL many times', () => {
  it('has booked all of a batch or nothing, at whatever moment it died', async () => {
    await killRepeatedly(world, [0, 4, 11, 23, ...Array.from({ length: 26 }, (_, round) => 2 * round)]);
  }, 300_000);
});
