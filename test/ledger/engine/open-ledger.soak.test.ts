import { describe, expect, it, onTestFinished } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { claimFile } from '../../../src/ledger/file/claim-file.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { withLock } from '../../../src/ledger/engine/with-lock.ts';
import { relayDatabase } from '../../support/database-relay.ts';
import { claimOf, openTestLedger, START } from '../../support/ledger-world.ts';

describe('openLedger', () => {
  it('gives up a server that does not answer, and goes on when it does', async () => {
    const world = await openTestLedger({ sessions: 'ended' });
    onTestFinished(() => world.close());
    const relay = await relayDatabase(world.url);
    onTestFinished(() => relay.close());
    const ledger = await openLedger({ url: relay.url }, { clock: handClock(START), log: silentLog(), answerMs: 2_000 });
    onTestFinished(() => ledger.close());
    const claim = claimOf();
    let asks = true;
    relay.decide((said) => (asks && said.includes('INSERT INTO file') ? 'keep' : 'pass'));
    await expect(claimFile(ledger, claim)).rejects.toThrow('Query read timeout');
    await expect(withLock(ledger, 'a thing', () => claimFile(ledger, claim))).rejects.toThrow('Query read timeout');
    asks = false;
    expect(await claimFile(ledger, claim)).toBe(true);
    expect(await withLock(ledger, 'a thing', async () => 'in')).toBe('in');
  });
});
