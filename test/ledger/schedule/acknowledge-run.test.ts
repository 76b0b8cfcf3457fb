import { describe, expect, it } from 'vitest';
import { acknowledgeRun } from '../../../src/ledger/schedule/acknowledge-run.ts';
import { beginRun, finishRun, missRun, resumeRun, type RunInHand } from '../../../src/ledger/schedule/begin-run.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { BECAUSE, DUE, freshSchedule, movesOfSchedule, runOf } from '../support/put-rows.ts';

/** What a user's acknowledgment of a missed or failed run records, what it refuses, and when it ends. */

const world = openedForTests(openTestLedger);
const NOTED = { actor: 'operator:ada', reason: 'the server was being moved' };

async function begun(name: string): Promise<RunInHand> {
  return (await beginRun(world.ledger, name, DUE, BECAUSE))!;
}

const REACH = {
  missed: (name: string) => missRun(world.ledger, name, DUE, BECAUSE),
  failed: async (name: string) => finishRun(world.ledger, await begun(name), 'failed', BECAUSE),
  done: async (name: string) => finishRun(world.ledger, await begun(name), 'done', BECAUSE),
  running: begun,
} as const;

describe('acknowledgeRun', () => {
  it.each(['missed', 'failed'] as const)(
    'records who took note of a run that is %s and why, with a link',
    async (state) => {
      const name = await freshSchedule(world);
      await REACH[state](name);
      await acknowledgeRun(world.ledger, await runOf(world, name), NOTED);
      expect(await runOf(world, name)).toMatchObject({
        state,
        acknowledged_at: world.clock.now(),
        acknowledged_by: NOTED.actor,
        acknowledge_reason: NOTED.reason,
      });
      expect((await movesOfSchedule(world, name)).at(-1)).toBe('acknowledge-run');
    },
  );

  it.each(['done', 'running'] as const)('refuses a run that is %s', async (state) => {
    const name = await freshSchedule(world);
    await REACH[state](name);
    const found = await runOf(world, name);
    await expect(acknowledgeRun(world.ledger, found, NOTED)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    await expect(
      world.ledger.pool.query(
        `UPDATE schedule_run SET acknowledged_at = now(), acknowledged_by = 'operator:ada', acknowledge_reason = 'x'
         WHERE schedule = $1`,
        [name],
      ),
    ).rejects.toThrow(/check constraint/);
    expect(await runOf(world, name)).toEqual(found);
  });

  it('lets one of several users acknowledge it', async () => {
    const name = await freshSchedule(world);
    await REACH.missed(name);
    const found = await runOf(world, name);
    const all = await Promise.allSettled([1, 2, 3].map(() => acknowledgeRun(world.ledger, found, NOTED)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await movesOfSchedule(world, name)).filter((move) => move === 'acknowledge-run')).toHaveLength(1);
  });

  it('refuses a later try than the one that the user saw', async () => {
    const name = await freshSchedule(world);
    await REACH.failed(name);
    const seen = await runOf(world, name);
    await finishRun(world.ledger, (await resumeRun(world.ledger, seen, 'retry-run', BECAUSE))!, 'failed', BECAUSE);
    await expect(acknowledgeRun(world.ledger, seen, NOTED)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect(await runOf(world, name)).toMatchObject({ state: 'failed', acknowledged_at: null });
  });

  it('ends with the next try, which nobody has acknowledged', async () => {
    const name = await freshSchedule(world);
    await REACH.failed(name);
    await acknowledgeRun(world.ledger, await runOf(world, name), NOTED);
    const again = await resumeRun(world.ledger, await runOf(world, name), 'retry-run', BECAUSE);
    const nothing = { acknowledged_at: null, acknowledged_by: null, acknowledge_reason: null };
    expect(again).toMatchObject({ state: 'running', ...nothing });
    await finishRun(world.ledger, again!, 'failed', BECAUSE);
    expect(await runOf(world, name)).toMatchObject({ state: 'failed', ...nothing });
  });
});
