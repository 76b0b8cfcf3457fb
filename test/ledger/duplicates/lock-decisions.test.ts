import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockDecisions } from '../../../src/ledger/duplicates/find-duplicate.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { OF_THIS_DATABASE } from '../../support/force-sql.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

/** Opens a transaction that holds the lock until `end`. */
async function holder(account: string) {
  let end = () => {};
  const told = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const done = transact(world.ledger, async (tx) => {
    await lockDecisions(tx, account);
    begun();
    await told;
  });
  await hasBegun;
  return { end, done };
}

async function waiting(): Promise<number> {
  const { rows } = await world.ledger.pool.query<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM pg_locks
     WHERE locktype = 'advisory' AND NOT granted AND ${OF_THIS_DATABASE}`,
  );
  return rows[0]!.waiting;
}

describe('lockDecisions', () => {
  it('lets one transaction of an account decide at a time', async () => {
    const first = await holder('main');
    const order: string[] = [];
    const second = transact(world.ledger, async (tx) => {
      await lockDecisions(tx, 'main');
      order.push('second');
    });
    await expect.poll(waiting).toBe(1);
    order.push('first');
    first.end();
    await Promise.all([first.done, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('does not hold up another account', async () => {
    const first = await holder('main');
    const other = await holder('other');
    for (const { end, done } of [first, other]) {
      end();
      await done;
    }
    expect(await waiting()).toBe(0);
  });
});
