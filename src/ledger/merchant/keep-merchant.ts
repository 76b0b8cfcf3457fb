import type { Transaction } from '../engine/transaction.ts';

/** What is recorded of a merchant. A send journal tells only the mark. */
export type NewMerchant = {
  readonly mark: string;
  /** Account by which it is first known. */
  readonly chain: string;
  readonly agentMark: string | null;
  readonly server: string | null;
  readonly address: string | null;
  /** Null while its service has never said. */
  readonly isSandbox: boolean | null;
};

/** Records a merchant, or completes what a send journal has told of it. Returns its number. */
export async function keepMerchant(
  tx: Transaction,
  { mark, chain, agentMark, server, address, isSandbox }: NewMerchant,
  because: { actor: string; reason: string },
): Promise<number> {
  const { rows: known } = await tx.client.query<{ merchant_no: number }>(
    `WITH place AS (
       UPDATE merchant_address SET server = $2, address = $3, actor = $4, reason = $5 WHERE mark = $1 RETURNING merchant_no)
     UPDATE merchant m SET agent_mark = $6, is_sandbox = $7 FROM place WHERE m.merchant_no = place.merchant_no
     RETURNING m.merchant_no`,
    [mark, server, address, because.actor, because.reason, agentMark, isSandbox],
  );
  if (known[0]) return known[0].merchant_no;
  const { rows } = await tx.client.query<{ merchant_no: number }>(
    `WITH made AS (
       INSERT INTO merchant (chain, agent_mark, is_sandbox, since)
       SELECT name, $2, $3, $4 FROM (
         SELECT CASE WHEN n = 1 THEN $1 ELSE $1 || '.' || n END AS name FROM generate_series(1, 10000) n) free
       WHERE name NOT IN (SELECT chain FROM merchant) LIMIT 1
       RETURNING merchant_no)
     INSERT INTO merchant_address (mark, merchant_no, server, address, since, actor, reason)
     SELECT $5, merchant_no, $6, $7, $4, $8, $9 FROM made RETURNING merchant_no`,
    [chain, agentMark, isSandbox, tx.at, mark, server, address, because.actor, because.reason],
  );
  return rows[0]!.merchant_no;
}

/** Says where a merchant is, for a sentence. */
export function describeMerchant({
  address,
  isSandbox,
}: {
  address: string | null;
  isSandbox: boolean | null;
}): string {
  if (address === null) return 'an address that only a send journal knows';
  return isSandbox ? `the sandbox ${address}` : address;
}

/**
 * Records that a merchant is reached at another address, too. What a send journal told of the merchant there becomes this
 * one's. Returns its number.
 */
export async function mergeMerchant(
  tx: Transaction,
  { mark, server, address, isSandbox }: NewMerchant,
  merchantNo: number,
  because: { actor: string; reason: string },
): Promise<number> {
  const { rows } = await tx.client.query<{ merchant_no: number }>(
    'DELETE FROM merchant_address WHERE mark = $1 RETURNING merchant_no',
    [mark],
  );
  await tx.client.query(
    `INSERT INTO merchant_address (mark, merchant_no, server, address, since, actor, reason) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [mark, merchantNo, server, address, tx.at, because.actor, because.reason],
  );
  // A service that had not answered and is a sandbox is reached by the mark of the sandbox only.
  const { rowCount: isLearned } = await tx.client.query(
    'UPDATE merchant SET is_sandbox = $2 WHERE merchant_no = $1 AND is_sandbox IS NULL',
    [merchantNo, isSandbox],
  );
  if (isLearned && isSandbox)
    await tx.client.query(
      'DELETE FROM merchant_address WHERE merchant_no = $1 AND server = $2 AND address = $3 AND mark <> $4',
      [merchantNo, server, address, mark],
    );
  for (const { merchant_no: shell } of rows) {
    // Files of the merchant were compared up to its own newest call; these must count as newer.
    await tx.client.query('UPDATE forgotten_send SET merchant_no = $2, call_order = DEFAULT WHERE merchant_no = $1', [
      shell,
      merchantNo,
    ]);
    await tx.client.query('UPDATE forgotten_row SET merchant_no = $2 WHERE merchant_no = $1', [shell, merchantNo]);
    await tx.client.query('DELETE FROM merchant WHERE merchant_no = $1', [shell]);
  }
  return merchantNo;
}

/**
 * Returns the merchant of a call that a send journal knows. Its line tells the mark; only a report of the service about
 * an account has none.
 */
export async function merchantOfCall(
  tx: Transaction,
  { account, merchant }: { account: string; merchant?: string | undefined },
): Promise<number> {
  const { rows } = await tx.client.query<{ merchant_no: number | null }>(
    `SELECT CASE WHEN $1::text IS NULL THEN merchant_of($2)
            ELSE (SELECT merchant_no FROM merchant_address WHERE mark = $1) END AS merchant_no`,
    [merchant ?? null, account],
  );
  const known = rows[0]!.merchant_no;
  if (known !== null) return known;
  const shell = { agentMark: null, server: null, address: null, isSandbox: null, chain: account };
  const reason = 'a send journal knows calls to it';
  return keepMerchant(tx, { ...shell, mark: merchant ?? `account ${account}` }, { actor: 'system', reason });
}
