import { describe, expect, it } from 'vitest';
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

describe('watchChanges', () => {
  it('tells each new listener once, because its page may be older than the last move', async () => {
    const changes = watchChanges(world.ledger);
    let heard = 0;
    changes.listen(() => (heard += 1));
    await expect.poll(() => heard).toBe(1);
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
