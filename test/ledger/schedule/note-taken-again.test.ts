import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noteTakenAgain } from '../../../src/ledger/schedule/begin-run.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('noteTakenAgain', () => {
  it('is a link of the audit trail, with the person', async () => {
    await noteTakenAgain(world.ledger, 'nightly', { actor: 'operator:ada', reason: 'a file came late' });
    const { rows } = await world.ledger.pool.query(
      `SELECT actor, move, from_state, to_state, reason, evidence FROM audit WHERE move = 'take-again'`,
    );
    expect(rows).toEqual([
      {
        actor: 'operator:ada',
        move: 'take-again',
        from_state: null,
        to_state: null,
        reason: 'a file came late',
        evidence: { schedule: 'nightly' },
      },
    ]);
  });
});
