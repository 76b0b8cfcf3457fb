import { expect } from 'vitest';
import { queryOnce, serverPid, type World } from './world.ts';

/** A name of a folder that a shell or a settings file would read as something else. */
export const SIGNS = `a 'b' "c", $HOME \`d\` \\e ü`;

/** So many times somebody joins while the last member leaves. */
export async function expectStartedAgain(world: World, rounds: number): Promise<void> {
  let member = await world.join();
  for (let round = 0; round < rounds; round += 1) {
    const [next] = await Promise.all([world.join(), member.leave()]);
    expect(await queryOnce(next.connection, 'SELECT 1 AS one'), `round ${round}`).toEqual([{ one: 1 }]);
    member = next;
  }
  await member.leave();
  expect(await serverPid(await world.place())).toBeUndefined();
}
