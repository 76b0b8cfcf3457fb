import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockForSend, lockForStop } from '../../../src/ledger/account/stop-lock.ts';
import { type Transaction, transact } from '../../../src/ledger/engine/transaction.ts';
import { OF_THIS_DATABASE } from '../../support/force-sql.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

/** Opens a transaction that holds the lock until `approveOrPropose`. */
async function holding(lock: (tx: Transaction) => Promise<void>): Promise<{ approveOrPropose(): Promise<void> }> {
  let approveOrPropose = () => {};
  const told = new Promise<void>((resolve) => (approveOrPropose = resolve));
  let whole: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    whole = transact(world.ledger, async (tx) => {
      await lock(tx);
      resolve();
      await told;
    });
  });
  return {
    approveOrPropose: async () => {
      approveOrPropose();
      await whole;
    },
  };
}

async function waiting(): Promise<number> {
  const { rowCount } = await world.ledger.pool.query(
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND ${OF_THIS_DATABASE}`,
  );
  return rowCount ?? 0;
}

describe('lockForSend', () => {
  it('is held side by side', async () => {
    const first = await holding(lockForSend);
    const second = await holding(lockForSend);
    expect(await waiting()).toBe(0);
    await first.approveOrPropose();
    await second.approveOrPropose();
  });
});

describe('lockForStop', () => {
  it.each([
    ['a send', lockForSend, lockForStop],
    ['another stop', lockForStop, lockForStop],
  ] as const)('waits for %s', async (_what, first, second) => {
    const held = await holding(first);
    const later = holding(second);
    await expect.poll(waiting, { interval: 10 }).toBe(1);
    await held.approveOrPropose();
    await (await later).approveOrPropose();
  });

  it('holds up a send', async () => {
    const stop = await holding(lockForStop);
    const send = holding(lockForSend);
    await expect.poll(waiting, { interval: 10 }).toBe(1);
    await stop.approveOrPropose();
    await (await send).approveOrPropose();
  });
});
