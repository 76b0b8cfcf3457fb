import { expect } from 'vitest';
import { openRemote, type RemoteSession } from '../../../src/files/remote/open-remote.ts';
import { upTo } from '../../support/payment-rows.ts';
import type { PullWorld } from './pull-world.ts';

/**
 * Pulls this many files from a server that is killed at the fetches in `killsAt`, and checks that each arrives once.
 */
export async function expectPulledThroughKills(world: PullWorld, count: number, killsAt: number[]): Promise<void> {
  const pair = await world.freshPair();
  const files = Object.fromEntries(upTo(count).map((n) => [`${n}.csv`, `A-${n},25.00\n`]));
  for (const [name, content] of Object.entries(files)) await pair.put(name, content);
  let fetched = 0;
  const killing: typeof openRemote = async (remote) => {
    const session = await openRemote(remote);
    const fetch: RemoteSession['fetch'] = async (...call) => {
      fetched += 1;
      const dies = killsAt.includes(fetched);
      await Promise.all([session.fetch(...call), dies && world.sshd.kill()]);
    };
    return { ...session, fetch };
  };
  for (const number of killsAt) {
    await expect(pair.look(killing), `killed at file ${number}`).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
    await world.sshd.restart();
  }
  await pair.look();
  expect(await pair.here()).toEqual(files);
  expect(new Set(await pair.there())).toEqual(new Set(Object.keys(files).map((name) => `claimed/${name}`)));
  expect(await pair.states()).toEqual(upTo(count).map(() => 'done'));
}
