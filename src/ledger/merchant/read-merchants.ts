import type { Ledger } from '../engine/open-ledger.ts';

/** Whom an account means in the ledger. */
export type Merchant = {
  account: string;
  server: string | null;
  /** Where it was last reached; null when only a send journal knows it. */
  address: string | null;
  isSandbox: boolean;
  country: string;
  currency: string;
  formerName: string | null;
  since: Date;
};

/** Returns whom every account means, names of former meanings included. */
export async function readMerchants({ pool }: Pick<Ledger, 'pool'>): Promise<Map<string, Merchant>> {
  const { rows } = await pool.query<Merchant>(
    `SELECT a.account, p.server, p.address, coalesce(m.is_sandbox, false) AS "isSandbox", a.country, a.currency,
            a.former_name AS "formerName", a.since
     FROM account a JOIN merchant m USING (merchant_no)
     CROSS JOIN LATERAL (SELECT * FROM merchant_address p WHERE p.merchant_no = a.merchant_no
                         ORDER BY p.since DESC, p.mark LIMIT 1) p
     ORDER BY a.account`,
  );
  return new Map(rows.map((row) => [row.account, row]));
}

/** Returns the merchant of every account by its number, to compare accounts. */
export async function readMerchantNumbers({ pool }: Pick<Ledger, 'pool'>): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ account: string; merchantNo: number }>(
    'SELECT account, merchant_no AS "merchantNo" FROM account',
  );
  return new Map(rows.map(({ account, merchantNo }) => [account, merchantNo]));
}

/** Says whom one account means. */
export async function sayMerchantOf(ledger: Pick<Ledger, 'pool'>, account: string): Promise<string> {
  return sayMerchant((await readMerchants(ledger)).get(account));
}

/**
 * Returns a present account that means what a claim noted (meaningKey), its own name before others.
 * @param bound the accounts of this process, see BoundAccounts
 */
export async function findMeant(
  { pool, bound }: Pick<Ledger, 'pool' | 'bound'>,
  { account, merchant }: { account: string; merchant: string },
): Promise<string | undefined> {
  const [mark, country, currency] = merchant.split(' ');
  const { rows } = await pool.query<{ merchantNo: number }>(
    'SELECT merchant_no AS "merchantNo" FROM merchant_address WHERE mark = $1',
    [mark],
  );
  const [found] = rows;
  if (!found) return undefined;
  const names = [...bound]
    .filter(
      ([, each]) => each.merchantNo === found.merchantNo && each.country === country && each.currency === currency,
    )
    .map(([name]) => name);
  return names.includes(account) ? account : names.toSorted()[0];
}

/**
 * Returns the present name of an account that was renamed, if it is one of these.
 * @param former name that no account has now
 */
export async function findRenamed(
  { pool }: Pick<Ledger, 'pool'>,
  former: string,
  names: readonly string[],
): Promise<string | undefined> {
  const { rows } = await pool.query<{ account: string }>(
    'SELECT account FROM account WHERE former_name = $1 AND account = ANY ($2) ORDER BY account LIMIT 1',
    [former, names],
  );
  return rows[0]?.account;
}

/** Says who is charged: where, and in which currency. */
export function sayMerchant(merchant: Merchant | undefined): string {
  if (!merchant) return 'not known yet';
  const { address, isSandbox, currency } = merchant;
  const host = address === null ? 'an address that only a send journal knows' : new URL(address).host;
  return `${isSandbox ? 'sandbox ' : ''}${host}, ${currency}`;
}
