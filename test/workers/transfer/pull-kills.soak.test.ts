import { afterAll, beforeAll, describe, it } from 'vitest';
import { sshdIsInstalled } from '../../support/sshd.ts';
import { expectPulledThroughKills } from '../support/pull-through-kills.ts';
import { openPullWorld, type PullWorld } from '../support/pull-world.ts';

describe.runIf(sshdIsInstalled())('pullFolder', () => {
  let world: PullWorld;
  beforeAll(async () => {
    world = await openPullWorld();
  });
  afterAll(() => world?.close());

  it('brings in two thousand files, each once, from a server that is killed three times meanwhile', async () => {
    await expectPulledThroughKills(world, 2_000, [400, 1_000, 1_600]);
  }, 300_000);
});
