import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../../src/kernel/log.ts';
import { endAttempt } from '../../../src/ledger/batch/end-attempt.ts';
import { prepareBatch } from '../../../src/ledger/batch/prepare-batch.ts';
import { sendBatch } from '../../../src/ledger/batch/send-batch.ts';
import { type Ledger, openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { type DatabaseRelay, relayDatabase } from '../../support/database-relay.ts';
import { keyOf, LEASE_MS, type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
let relay: DatabaseRelay;
let ledger: Ledger;
const said: string[] = [];
beforeAll(async () => {
  world = await openTestLedger();
  relay = await relayDatabase(world.url);
  ledger = await openLedger({ url: relay.url }, { clock: world.clock, log: silentLog() });
  Object.assign(ledger.admitted, world.ledger.admitted);
  relay.decide((text) => (said.push(text), 'pass'));
});
afterAll(async () => {
  await ledger.close();
  relay.close();
  await world.close();
});

/** A power cut undoes what was not flushed: a request may leave without an intent, or its batch id may be lost. */
it('waits for the disk before a request may leave, and before its answer counts as recorded', async () => {
  const { file_id: fileId } = await world.accepted();
  const batch = (await prepareBatch(ledger, { fileId, batchNo: 1 }, LEASE_MS))!;
  expect(said.join()).toContain('synchronous_commit');

  said.length = 0;
  expect(await sendBatch(ledger, batch, { host: 'service.test', requestBytes: 1 })).toBe(true);
  const end = { verdict: 'submitted', batchId: '9001', firstPollMs: 0, evidence: {} } as const;
  expect(await endAttempt(ledger, batch, end)).toBeTruthy();
  expect(said.join()).toContain('COMMIT');
  expect(said.join()).not.toContain('synchronous_commit');
  const { rows } = await ledger.pool.query('SELECT state FROM batch WHERE file_id = $1', [keyOf(batch).fileId]);
  expect(rows).toEqual([{ state: 'submitted' }]);
});
