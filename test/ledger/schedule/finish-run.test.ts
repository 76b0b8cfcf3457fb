import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginRun, finishRun } from '../../../src/ledger/schedule/begin-run.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { BECAUSE, DUE, freshSchedule, movesOfSchedule, runOf } from '../support/run-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('finishRun', () => {
  it.each([
    ['done', 'finish-run'],
    ['failed', 'fail-run'],
  ] as const)('ends a run as %s, once, with what there is to say', async (state, move) => {
    const name = await freshSchedule(world);
    const run = (await beginRun(world.ledger, name, DUE, BECAUSE))!;
    world.clock.advance(1_000);
    const because = { actor: 'worker:schedule', reason: 'that is all' };
    expect(await finishRun(world.ledger, run, state, because, { files: 3 })).toBe(true);
    expect(await runOf(world, name)).toMatchObject({
      state,
      finished_at: world.clock.now(),
      token: null,
      summary: { says: 'that is all', files: 3 },
    });
    expect(await finishRun(world.ledger, run, 'done', because)).toBe(false);
    expect(await movesOfSchedule(world, name)).toEqual(['begin-run', move]);
  });

  it('does not end a run that is in other hands', async () => {
    const name = await freshSchedule(world);
    const run = (await beginRun(world.ledger, name, DUE, BECAUSE))!;
    const stranger = { ...run, token: '00000000-0000-4000-8000-000000000000' };
    expect(await finishRun(world.ledger, stranger, 'done', BECAUSE)).toBe(false);
    expect(await runOf(world, name)).toEqual(run);
  });
});
