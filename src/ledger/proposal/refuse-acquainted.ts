import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { Transaction } from '../engine/transaction.ts';

/** A user whom another user recently created or enabled, or gave a role or a new link. */
export type Tie = { maker: string; person: string; at: Date };

/**
 * Returns SQL for who created or enabled a user, or gave them a role or a link, in the last `$2` days. Now is the
 * earlier of `$1` and the database time, and an entry has the later of its two times. So setting the clock of a command
 * cannot end a tie early. The user of the set-up link was created by the operating-system user who offered it.
 */
const tiesBy = (databaseNow: string) => `
  SELECT actor AS maker, 'operator:' || (evidence->>'person') AS person, at FROM audit
  WHERE move IN ('invite-person', 'invite-person-again', 'change-role', 'enable-person') AND ${isLate('audit', databaseNow)}
  UNION ALL
  SELECT offer.actor, made.actor, made.at FROM audit made JOIN audit offer ON offer.move = 'offer-set-up' AND offer.seq < made.seq
  WHERE made.move = 'set-up-desk' AND ${isLate('made', databaseNow)}`;

const isLate = (link: string, databaseNow: string) =>
  `greatest(${link}.at, (${link}.evidence->>'databaseAt')::timestamptz) >= least($1::timestamptz, ${databaseNow}) - $2 * interval '1 day'`;

/** Returns SQL for `$3` and `$4`, each with the users who created them, directly or through others. */
const makersOf = (databaseNow: string) => `
  WITH RECURSIVE tie AS (${tiesBy(databaseNow)}),
    one AS (SELECT lower($3::text) AS maker UNION SELECT lower(tie.maker) FROM one JOIN tie ON lower(tie.person) = one.maker),
    other AS (SELECT lower($4::text) AS maker UNION SELECT lower(tie.maker) FROM other JOIN tie ON lower(tie.person) = other.maker)`;

/**
 * Stops two users with a tie from confirming each other's proposals. Otherwise a person who can create users could
 * confirm their own proposal through a second one. A tie means that one created or enabled the other, or gave them a
 * role or a link, within `newcomerDays`, directly or through others. Two users with the same creator have none, because
 * a first administrator has invited everyone.
 * @param action what the second of them does to what the first has made
 * @throws PipelineError SECOND_PERSON
 */
export async function refuseAcquainted(
  tx: Transaction,
  action: string,
  [proposer, actor]: readonly [first: string, second: string],
  newcomerDays: number,
): Promise<void> {
  if (newcomerDays === 0) return;
  const { rows } = await tx.client.query<{ maker: string }>(
    `${makersOf(tx.databaseNow)} SELECT maker FROM one JOIN other USING (maker) WHERE maker IN (lower($3), lower($4)) LIMIT 1`,
    [tx.at, newcomerDays, proposer, actor],
  );
  const maker = rows[0]?.maker;
  if (maker === undefined) return;
  const made = maker === proposer.toLowerCase() ? nameOf(actor) : nameOf(proposer);
  const reason = `${nameOf(maker)} made ${made} a user, or gave a role or a link, within the last ${counted(newcomerDays, 'day')}`;
  throw new PipelineError('SECOND_PERSON', action, reason);
}

/** Returns who recently created whom, latest first, at most 200. */
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
