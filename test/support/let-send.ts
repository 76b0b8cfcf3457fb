import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';

/** Opens the ledger for the send journal of these tests, which has no file. */
export async function letSend(ledger: Ledger): Promise<Ledger> {
  const sender = { journal: '00000000-0000-4000-8000-000000000001', epoch: 1 };
  await ledger.pool.query(`INSERT INTO sender (journal, name, epoch) VALUES ($1, 'test', $2) ON CONFLICT DO NOTHING`, [
    sender.journal,
    sender.epoch,
  ]);
  await ledger.pool.query('UPDATE admission SET is_open = true, epoch = $1 WHERE NOT is_admitted($2, $1)', [
    sender.epoch,
    sender.journal,
  ]);
  ledger.admitted.sender = sender;
  return ledger;
}
