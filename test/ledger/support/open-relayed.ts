import { onTestFinished } from 'vitest';
import { silentLog } from '../../../src/kernel/log.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { relayDatabase } from '../../support/database-relay.ts';
import type { LedgerWorld } from '../../support/ledger-world.ts';

/** Opens the ledger of the world once more for this test, through a relay. `said` is what goes to the server from now on. */
export async function openRelayed(world: LedgerWorld) {
  const relay = await relayDatabase(world.url);
  onTestFinished(() => relay.close());
  const ledger = await openLedger({ url: relay.url }, { clock: world.clock, log: silentLog() });
  onTestFinished(() => ledger.close());
  Object.assign(ledger.admitted, world.ledger.admitted);
  const said: string[] = [];
  relay.decide((text) => (said.push(text), 'pass'));
  return { relay, ledger, said };
}
