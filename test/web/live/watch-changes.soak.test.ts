import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { appendAudit } from '../../../src/ledger/engine/transaction.ts';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { watchChanges } from '../../../src/web/live/open-live.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const BECAUSE = { actor: 'operator:ann', reason: 'to see' };

/** Pauses and resumes an account until somebody has heard of it. */
async function moveUntil(isHeard: () => boolean): Promise<void> {
  let isPaused = false;
  const move = async () => {
    await (isPaused ? resumeAccount : pauseAccount)(world.ledger, 'main', BECAUSE);
    isPaused = !isPaused;
    return isHeard();
  };
  await expect.poll(move, { interval: 300 }).toBe(true);
}

/** Returns a count of how often the end of the trail was looked at since. */
function countQueries(): () => number {
  const asked = vi.spyOn(world.ledger.pool, 'query');
  onTestFinished(() => asked.mockRestore());
  return () => asked.mock.calls.filter(([sql]) => sql.includes('audit_settled')).length;
}

describe('watchChanges', () => {
  it('tells each new listener once, because its page may be older than the last move', async () => {
    const changes = watchChanges(world.ledger);
    let heard = 0;
    changes.listen(() => (heard += 1));
    await expect.poll(() => heard).toBe(1);
    changes.close();
  });

  it('tells of a file whose link appears after one of another file with a larger number', async () => {
    const [slow, fast] = [await world.claimed(), await world.claimed()];
    const changes = watchChanges(world.ledger);
    const heard: string[] = [];
    changes.listen((files) => heard.push(...files));
    await expect.poll(() => heard).toEqual(['*']);
    const client = await world.ledger.pool.connect();
    const append = (fileId: string) =>
      appendAudit(world.clock.now(), [{ actor: 'system', fileId, move: 'download', reason: '' }], 'now()').join();
    await client.query('BEGIN');
    await client.query(append(slow.file_id));
    await world.ledger.pool.query(append(fast.file_id));
    const other = await world.claimed();
    const looks = countQueries();
    await expect.poll(looks).toBeGreaterThan(2);
    await client.query('COMMIT');
    client.release();
    await expect.poll(() => [...heard].sort()).toEqual(['*', fast.file_id, other.file_id, slow.file_id].sort());
    changes.close();
  });

  it('tells everybody who listens of a move, and nobody who has stopped', async () => {
    const changes = watchChanges(world.ledger);
    const heard = { one: 0, other: 0 };
    const deafen = changes.listen(() => (heard.one += 1));
    changes.listen(() => (heard.other += 1));
    await moveUntil(() => heard.one > 0 && heard.other > 0);
    deafen();
    const before = { ...heard };
    await moveUntil(() => heard.other > before.other);
    expect(heard.one).toBe(before.one);
    changes.close();
  });
});
