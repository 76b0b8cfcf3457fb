import { expect, it } from 'vitest';
import { stopAccount } from '../../../src/ledger/account/stop-account.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

it('stopAccount stops an account once, with one audit link, and keeps the first reason', async () => {
  await stopAccount(world.ledger, 'stopped', 'the journal is ahead');
  world.clock.advance(60_000);
  await stopAccount(world.ledger, 'stopped', 'another reason');
  world.clock.set(START);
  const stops = await world.ledger.pool.query(`SELECT * FROM account_stop WHERE account = 'stopped'`);
  expect(stops.rows).toEqual([
    { account: 'stopped', kind: 'fault', actor: 'system', reason: 'the journal is ahead', since: new Date(START) },
  ]);
  const links = await world.ledger.pool.query(
    `SELECT actor, file_id, reason, evidence FROM audit WHERE move = 'stop-account' AND evidence->>'account' = 'stopped'`,
  );
  expect(links.rows).toEqual([
    { actor: 'system', file_id: null, reason: 'the journal is ahead', evidence: { account: 'stopped' } },
  ]);
});
