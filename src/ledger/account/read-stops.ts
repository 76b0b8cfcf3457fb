import type { Ledger } from '../engine/open-ledger.ts';
import type { Stop } from './read-holds.ts';

/** Returns every stop that an operator has to lift, for any account; `*` means all of them. */
export async function readStops(ledger: Ledger): Promise<Stop[]> {
  const { rows } = await ledger.pool.query<Stop>(
    'SELECT account, kind, reason, actor, since FROM account_stop ORDER BY account, kind',
  );
  return rows;
}
