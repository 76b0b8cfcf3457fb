import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../open-ledger.ts';
import type { Transaction } from '../transaction.ts';

/** A person of whom another has lately made a user, or has given a role or a new link. */
export type Tie = { maker: string; person: string; at: Date };

/**
 * SQL: who made whom a user, or gave a role or a link, since `$1`. The person who followed the set-up link was made by the
 * operating-system user who offered it.
 */
const TIES = `
  SELECT actor AS maker, 'operator:' || (evidence->>'person') AS person, at FROM audit
  WHERE move IN ('invite-person', 'invite-person-again', 'change-role', 'enable-person') AND at >= $1
  UNION ALL
  SELECT offer.actor, made.actor, made.at FROM audit made JOIN audit offer ON offer.move = 'offer-set-up' AND offer.seq < made.seq
  WHERE made.move = 'set-up-desk' AND made.at >= $1`;

/** SQL: the users that `$2` has made, directly or through others. */
const MADE_BY = `
  WITH RECURSIVE tie AS (${TIES}),
    made AS (SELECT person FROM tie WHERE maker = $2
             UNION SELECT tie.person FROM made JOIN tie ON tie.maker = made.person)`;

/**
 * A person who can create users could create a second one and confirm their own proposal. So neither of two persons confirms
 * what the other proposed when one of them made the other a user, or gave a role or a link, within so many days.
 * @throws PipelineError SECOND_PERSON
 */
export async function refuseAcquainted(
  tx: Transaction,
  { proposalNo, madeBy }: { proposalNo: number; madeBy: string },
  actor: string,
  newcomerDays: number,
): Promise<void> {
  const since = new Date(tx.at.getTime() - newcomerDays * DAY_MS);
  for (const [maker, person] of [
    [madeBy, actor],
    [actor, madeBy],
  ] as const) {
    const { rowCount } = await tx.client.query(`${MADE_BY} SELECT 1 FROM made WHERE person = $3 LIMIT 1`, [
      since,
      maker,
      person,
    ]);
    if (rowCount === 0) continue;
    const reason = `${nameOf(maker)} made ${nameOf(person)} a user, or gave a role or a link, within the last ${newcomerDays} days`;
    throw new PipelineError('SECOND_PERSON', `confirm proposal ${proposalNo}`, reason);
  }
}

const DAY_MS = 86_400_000;

/** Who has lately made whom, the latest first; at most 200. */
export async function readTies(ledger: Ledger, newcomerDays: number): Promise<Tie[]> {
  const since = new Date(ledger.clock.now().getTime() - newcomerDays * DAY_MS);
  const { rows } = await ledger.pool.query<Tie>(
    `SELECT maker, person, max(at) AS at FROM (${TIES}) tie WHERE maker <> person GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 200`,
    [since],
  );
  return rows;
}

function nameOf(actor: string): string {
  return actor.replace(/^operator:/, '');
}
