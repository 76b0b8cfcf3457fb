import { describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { tryLock, withLock } from '../../../src/ledger/engine/with-lock.ts';
import { OF_THIS_DATABASE } from '../../support/force-sql.ts';

const world = openedForTests(openTestLedger);

/** Returns a promise, and the function that resolves it. */
function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** Waits until this many connections wait for one of our locks. */
async function waitersBecome(count: number): Promise<void> {
  const waiting = `SELECT count(*) AS count FROM pg_locks WHERE locktype = 'advisory' AND classid = 7002 AND NOT granted
                   AND ${OF_THIS_DATABASE}`;
  await expect.poll(async () => (await world.ledger.pool.query(waiting)).rows[0].count, { interval: 5 }).toBe(count);
}

describe('withLock', () => {
  it('gives the result of the work', async () => {
    expect(await withLock(world.ledger, 'file:a', async () => 7)).toBe(7);
  });

  it('lets one at a time work on a thing, in this process and in others', async () => {
    const another = await world.openAgain();
    const events: string[] = [];
    const begun = signal();
    const first = signal();
    const one = withLock(world.ledger, 'file:a', async () => {
      events.push('first begins');
      begun.give();
      await first.given;
      events.push('first ends');
    });
    await begun.given;
    const others = [world.ledger, another].map((ledger) =>
      withLock(ledger, 'file:a', async () => {
        events.push('next');
      }),
    );
    await waitersBecome(2);
    expect(events).toEqual(['first begins']);
    first.give();
    await Promise.all([one, ...others]);
    expect(events).toEqual(['first begins', 'first ends', 'next', 'next']);
  });

  it('lets others work on other things meanwhile', async () => {
    const first = signal();
    const one = withLock(world.ledger, 'file:a', () => first.given);
    expect(await withLock(world.ledger, 'file:b', async () => 'done')).toBe('done');
    first.give();
    await one;
  });

  it('frees the thing when the work throws', async () => {
    const failure = new Error('in the middle');
    await expect(
      withLock(world.ledger, 'file:a', async () => {
        throw failure;
      }),
    ).rejects.toBe(failure);
    expect(await withLock(world.ledger, 'file:a', async () => 'next')).toBe('next');
    expect(world.ledger.locks.idleCount).toBe(world.ledger.locks.totalCount);
  });

  it('leaves the work its connections, however many hold a lock or wait for one', async () => {
    const jobs = Array.from({ length: 60 }, (_, index) =>
      withLock(world.ledger, `file:${index % 30}`, () =>
        transact(world.ledger, async (tx) => (await tx.client.query('SELECT 1 AS one')).rows[0].one as number),
      ),
    );
    expect(await Promise.all(jobs)).toEqual(Array(60).fill(1));
  });

  it('gives the result although its connection was lost, and holds nothing on another', async () => {
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = 7002
                 AND ${OF_THIS_DATABASE}`;
    const before = world.ledger.locks.totalCount;
    const answer = await withLock(world.ledger, 'file:a', async () => {
      await world.ledger.pool.query(cut);
      return 'done';
    });
    expect(answer).toBe('done');
    expect(world.ledger.locks.totalCount).toBeLessThanOrEqual(before);
    expect(await withLock(world.ledger, 'file:a', async () => 'next')).toBe('next');
  });
});

describe('tryLock', () => {
  it('does the work of one, and sends the others of this process and of others away', async () => {
    const another = await world.openAgain();
    const end = signal();
    const begun = signal();
    const one = tryLock(world.ledger, 'schedule:a', async () => {
      begun.give();
      await end.given;
      return 7;
    });
    await begun.given;
    for (const ledger of [world.ledger, another]) {
      expect(await tryLock(ledger, 'schedule:a', async () => 8)).toBeUndefined();
      expect(await tryLock(ledger, 'schedule:b', async () => 9)).toEqual({ result: 9 });
    }
    end.give();
    expect(await one).toEqual({ result: 7 });
    expect(await tryLock(another, 'schedule:a', async () => undefined)).toEqual({ result: undefined });
  });

  it('is free again after work that failed', async () => {
    const failing = tryLock(world.ledger, 'schedule:c', () => Promise.reject(new Error('no luck')));
    await expect(failing).rejects.toThrow('no luck');
    expect(await tryLock(world.ledger, 'schedule:c', async () => 1)).toEqual({ result: 1 });
  });
});
