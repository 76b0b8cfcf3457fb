import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../open-ledger.ts';
import type { Transaction } from '../transaction.ts';

/** A person of whom another has lately made a user, or has given a role or a new link. */
export type Tie = { maker: string; person: string; at: Date };

/**
 * SQL: who made whom a user, or gave a role or a link, in the `$2` days before `$1`, or before the present of the database
 * where that is earlier: a clock that was set forward must not end the days. The person who followed the set-up link was made by the
 * operating-system user who offered it.
 */
const tiesBy = (databaseNow: string) => `
  SELECT actor AS maker, 'operator:' || (evidence->>'person') AS person, at FROM audit
  WHERE move IN ('invite-person', 'invite-person-again', 'change-role', 'enable-person') AND at >= ${since(databaseNow)}
  UNION ALL
  SELECT offer.actor, made.actor, made.at FROM audit made JOIN audit offer ON offer.move = 'offer-set-up' AND offer.seq < made.seq
  WHERE made.move = 'set-up-desk' AND made.at >= ${since(databaseNow)}`;

const since = (databaseNow: string) => `least($1::timestamptz, ${databaseNow}) - $2 * interval '1 day'`;

/** SQL: the users that `$3` has made, directly or through others. */
const madeBy = (databaseNow: string) => `
  WITH RECURSIVE tie AS (${tiesBy(databaseNow)}),
    made AS (SELECT person FROM tie WHERE maker = $3
             UNION SELECT tie.person FROM made JOIN tie ON tie.maker = made.person)`;

/**
 * A person who can create users could create a second one and confirm their own proposal. So neither of two persons confirms
 * what the other proposed when one of them made the other a user, or gave a role or a link, within so many days.
 * @throws PipelineError SECOND_PERSON
 */
export async function refuseAcquainted(
  tx: Transaction,
  { proposalNo, madeBy: proposer }: { proposalNo: number; madeBy: string },
  actor: string,
  newcomerDays: number,
): Promise<void> {
  if (newcomerDays === 0) return;
  for (const [maker, person] of [
    [proposer, actor],
    [actor, proposer],
  ] as const) {
    const { rowCount } = await tx.client.query(
      `${madeBy(tx.databaseNow)} SELECT 1 FROM made WHERE person = $4 LIMIT 1`,
      [tx.at, newcomerDays, maker, person],
    );
    if (rowCount === 0) continue;
    const reason = `${nameOf(maker)} made ${nameOf(person)} a user, or gave a role or a link, within the last ${newcomerDays} days`;
    throw new PipelineError('SECOND_PERSON', `confirm proposal ${proposalNo}`, reason);
  }
}

/** Who has lately made whom, the latest first; at most 200. */
export async function readTies(ledger: Ledger, newcomerDays: number): Promise<Tie[]> {
  const { rows } = await ledger.pool.query<Tie>(
    `SELECT maker, person, max(at) AS at FROM (${tiesBy(ledger.databaseNow())}) tie WHERE maker <> person GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 200`,
    [ledger.clock.now(), newcomerDays],
  );
  return rows;
}

function nameOf(actor: string): string {
  return actor.replace(/^operator:/, '');
}
