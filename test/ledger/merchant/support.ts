import type { NamedAccount } from '../../../src/ledger/merchant/bind-accounts.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';

/** An account of the configuration, with an agent code of its own at one service that is no sandbox. */
export function named(name: string, own: Partial<NamedAccount> & { agent?: string } = {}): NamedAccount {
  const { agent = `agent of ${name}`, address = 'https://service.test/', ...rest } = own;
  return {
    name,
    server: 'NA',
    country: 'US',
    currency: 'USD',
    address,
    mark: `${agent} at ${address}`,
    sandboxMark: `${agent} at the sandbox ${address}`,
    agentMark: agent,
    saysSandbox: async () => false,
    ...rest,
  };
}

/** Returns whom each name means, by the agent code and the currency. */
export async function meanings({ pool }: Pick<Ledger, 'pool'>): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ account: string; meaning: string }>(
    `SELECT account, agent_mark || ' ' || currency AS meaning FROM account JOIN merchant USING (merchant_no) ORDER BY account`,
  );
  return Object.fromEntries(rows.map(({ account, meaning }) => [account, meaning]));
}

/** Returns the account of every file, in the order in which they were taken. */
export async function accountsOfFiles({ pool }: Pick<Ledger, 'pool'>): Promise<string[]> {
  const { rows } = await pool.query<{ account: string }>('SELECT account FROM file ORDER BY file_no');
  return rows.map(({ account }) => account);
}
