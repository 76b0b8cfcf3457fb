import { describeFleetAct, type FleetAct } from './fleet/fleet-acts.ts';
import { openFleet } from './fleet/open-fleet.ts';
import { playFleetAct } from './fleet/play-fleet-act.ts';
import { type Act, describeAct } from './support/acts.ts';
import { openWorld } from './support/open-world.ts';
import { playAct } from './support/play-act.ts';
import { type StoryPlan, type StoryReport, tellStory } from './tell-story.ts';

/** Plays the life of one installation with a database of its own. */
export function playStory(plan: StoryPlan<Act> & { canMount: boolean }): Promise<StoryReport> {
  return tellStory(plan, {
    open: (accounts) => openWorld({ ...plan, accounts }),
    describe: describeAct,
    play: (act, world, scene) => playAct(act, { ...scene, world }),
  });
}

/** Plays hosts that send from one ledger. Each act ends at rest, so that an older ledger forgets no other act. */
export function playFleetStory(plan: Omit<StoryPlan<FleetAct>, 'restEvery'> & { hosts: number }): Promise<StoryReport> {
  return tellStory(
    { ...plan, restEvery: 1 },
    {
      open: (accounts) => openFleet({ ...plan, accounts }),
      describe: describeFleetAct,
      play: playFleetAct,
    },
  );
}
