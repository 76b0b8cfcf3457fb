import type { Transaction } from '../engine/transaction.ts';
import { isSameMeaning, type Meaning } from './bound-accounts.ts';
import type { Rebinding } from './bind-accounts.ts';

/** What a name means in the ledger. */
export type Present = Meaning & { account: string };

/**
 * Gives each name the meaning that it is to have. What was taken under a name follows its merchant: to another name that
 * now means the same, else to a former name such as `main.1`. Work of a name that nothing replaces stays where it is.
 * @param present what the names mean that may change
 * @param wanted what names are to mean
 */
export async function renameAccounts(
  tx: Transaction,
  present: readonly Present[],
  wanted: ReadonlyMap<string, Meaning>,
): Promise<Rebinding[]> {
  const before = new Map(present.map((row) => [row.account, row]));
  const moves: { from: Present; to: string }[] = [];
  for (const row of present) {
    const now = wanted.get(row.account);
    if (now && isSameMeaning(now, row)) continue;
    const heir = [...wanted].find(([, meaning]) => isSameMeaning(meaning, row))?.[0];
    if (heir !== undefined) moves.push({ from: row, to: heir });
    else if (now) moves.push({ from: row, to: await freeFormerName(tx, row.account) });
  }
  const isLeft = ({ account }: Present) => moves.some(({ from }) => from.account === account);
  const added = [...wanted].filter(([name]) => !before.has(name) || isLeft(before.get(name)!));
  if (moves.length === 0 && added.length === 0) return [];
  await write(tx, moves, added);
  // Of a name that now means something else, the move says it all.
  for (const [name, meaning] of added) if (!moves.some(({ to }) => to === name)) noteAdded(tx, name, meaning);
  return moves.map(({ from, to }) => sayMove(tx, from, to, wanted));
}

async function write(
  tx: Transaction,
  moves: readonly { from: Present; to: string }[],
  added: readonly (readonly [string, Meaning])[],
): Promise<void> {
  const from = moves.map((move) => move.from.account);
  const to = moves.map((move) => move.to);
  // A former name means what the name meant before.
  const former = moves
    .filter((move) => !added.some(([name]) => name === move.to))
    .map((move) => [move.to, move.from] as const);
  const rows = [...added, ...former];
  await tx.client.query('SET CONSTRAINTS ALL DEFERRED');
  await tx.client.query('DELETE FROM account WHERE account = ANY ($1)', [from]);
  await tx.client.query(
    `INSERT INTO account (account, merchant_no, country, currency, since, former_name)
     SELECT n.account, n.merchant_no, n.country, n.currency, $5, (SELECT m.old FROM unnest($6::text[], $7::text[]) m (old, new) WHERE m.new = n.account LIMIT 1)
     FROM unnest($1::text[], $2::integer[], $3::text[], $4::text[]) n (account, merchant_no, country, currency)
     ON CONFLICT (account) DO NOTHING`,
    [
      rows.map(([name]) => name),
      rows.map(([, { merchantNo }]) => merchantNo),
      rows.map(([, { country }]) => country),
      rows.map(([, { currency }]) => currency),
      tx.at,
      from,
      to,
    ],
  );
  // Each in one statement, so that two names may change places.
  for (const table of NAMED)
    await tx.client.query(
      `UPDATE ${table} t SET account = m.new FROM unnest($1::text[], $2::text[]) m (old, new) WHERE t.account = m.old`,
      [from, to],
    );
  await moveStops(tx, from, to);
}

/** Tables that show an account beside what belongs to its merchant. Open alarms and failures are found anew. */
export const NAMED = [
  'file',
  'batch',
  'forgotten_send',
  'upload',
  'resubmission',
  'row_archive',
  'double_charge',
] as const;

/** Stops go with the work; a pause also stays with the name, because a user may have meant that. */
async function moveStops(tx: Transaction, from: readonly string[], to: readonly string[]): Promise<void> {
  await tx.client.query(
    `WITH moved AS (
       INSERT INTO account_stop (account, reason, since, kind, actor)
       SELECT m.new, s.reason, s.since, s.kind, s.actor FROM account_stop s
       JOIN unnest($1::text[], $2::text[]) m (old, new) ON s.account = m.old
       ON CONFLICT (account, kind) DO NOTHING)
     DELETE FROM account_stop s WHERE s.account = ANY ($1) AND s.account <> ALL ($2) AND s.kind <> 'pause'`,
    [from, to],
  );
}

async function freeFormerName(tx: Transaction, account: string): Promise<string> {
  const { rows } = await tx.client.query<{ name: string }>(
    `SELECT $1 || '.' || n AS name FROM generate_series(1, 10000) n
     WHERE $1 || '.' || n NOT IN (SELECT account FROM account) LIMIT 1`,
    [account],
  );
  return rows[0]!.name;
}

function sayMove(tx: Transaction, from: Present, to: string, wanted: ReadonlyMap<string, Meaning>): Rebinding {
  const now = wanted.get(from.account);
  const says =
    now === undefined || wanted.has(to)
      ? `account "${from.account}" is called "${to}" now: it is the same merchant, and its history goes on under the new name`
      : `account "${from.account}" now means ${sayDifference(from, now)}: what was taken before stays stopped as "${to}" until it is moved or canceled`;
  tx.audit({
    actor: 'system',
    move: 'bind-account',
    reason: says,
    evidence: { account: to, formerName: from.account, country: from.country, currency: from.currency },
  });
  return { account: to, says };
}

function sayDifference(before: Meaning, now: Meaning): string {
  if (before.merchantNo !== now.merchantNo) return 'another merchant or service';
  const what = before.currency === now.currency ? 'country' : 'currency';
  return `the ${what} ${now[what]} instead of ${before[what]}`;
}

function noteAdded(tx: Transaction, account: string, { country, currency }: Meaning): void {
  const reason = `account "${account}" is bound to its merchant`;
  tx.audit({ actor: 'system', move: 'bind-account', reason, evidence: { account, country, currency } });
}
