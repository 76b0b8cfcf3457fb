import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import type { Charged, Meaning } from '../../src/ledger/merchant/bound-accounts.ts';

/** Binds an account to a merchant of its own, or to the one that it has, as the start of a process does. */
export async function bindForTest(
  { pool, bound }: Pick<Ledger, 'pool' | 'bound'>,
  account: string,
  { country, currency }: Pick<Meaning, 'country' | 'currency'> = { country: 'US', currency: 'USD' },
): Promise<void> {
  if (bound.has(account) && (await isThere({ pool, bound }, account))) return;
  const mark = `mark of ${account}`;
  await pool.query(
    `WITH made AS (INSERT INTO merchant (chain, agent_mark, since) VALUES ($1, 'agent of ' || $1, now()) ON CONFLICT DO NOTHING RETURNING merchant_no),
          placed AS (
            INSERT INTO merchant_address (mark, merchant_no, server, address, since, actor, reason)
            SELECT $2, merchant_no, 'NA', 'https://service.test/', now(), 'system', 'for a test' FROM made)
     INSERT INTO account (account, merchant_no, country, currency, since) SELECT $1, merchant_no, $3, $4, now() FROM made
     ON CONFLICT DO NOTHING`,
    [account, mark, country, currency],
  );
  const { rows } = await pool.query<Meaning & { account: string }>(
    'SELECT merchant_no AS "merchantNo", country, currency FROM account WHERE account = $1',
    [account],
  );
  bound.set(account, { ...rows[0]!, mark, agentMark: `agent of ${account}` });
}

/** A test may have emptied the ledger meanwhile. */
async function isThere({ pool, bound }: Pick<Ledger, 'pool' | 'bound'>, account: string): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM account WHERE account = $1 AND merchant_no = $2', [
    account,
    bound.get(account)!.merchantNo,
  ]);
  return rowCount === 1;
}

/** Returns what an account is charged for, for a call about it. */
export function chargedOf({ bound }: Pick<Ledger, 'bound'>, account: string): Charged {
  return { account, merchant_no: bound.get(account)!.merchantNo };
}

/** Uses every account that is in the ledger, as a process with the same configuration does. */
export async function bindAll<Opened extends Pick<Ledger, 'pool' | 'bound'>>(ledger: Opened): Promise<Opened> {
  const { rows } = await ledger.pool.query<Meaning & { account: string; mark: string; agentMark: string }>(
    `SELECT account, merchant_no AS "merchantNo", country, currency, agent_mark AS "agentMark",
            (SELECT p.mark FROM merchant_address p WHERE p.merchant_no = m.merchant_no ORDER BY since DESC LIMIT 1) AS mark
     FROM account JOIN merchant m USING (merchant_no)`,
  );
  ledger.bound.clear();
  for (const { account, ...bound } of rows) ledger.bound.set(account, bound);
  return ledger;
}
