import type { QueueName } from '../../../schemas/jobs.ts';
import { isAlive } from '../engine/instance.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** The question what is due for a stage. */
export type Due = {
  /**
   * SQL that returns each thing that is due as `subject`, its name in table `taken`, its `place` in the order in which they
   * should be taken, and its `weight`, such as its rows; also what is taken already.
   */
  readonly sql: string;
  readonly values: readonly unknown[];
  /** SQL of the times to come at which more becomes due; none when only a ring tells. */
  readonly next?: readonly string[];
};

export type Taken = {
  /** What this process has now, in order. */
  readonly subjects: readonly string[];
  /** Whether more is due that nobody has, beyond the limit. */
  readonly isMore: boolean;
  /** When something else becomes due by itself; only known when nothing was taken. */
  readonly nextAt: Date | null;
};

/** What a process no longer works on: what it has ended, and what it leaves alone for a while. */
export type Back = { readonly ended: readonly string[]; readonly later: readonly string[] };

/** What each process works on, as far as it knows: the stages that it is asking for, and `stage/subject`. */
const IN_HAND = new WeakMap<Ledger['instance'], { asking: QueueName[]; subjects: Set<string> }>();

function handOf({ instance }: Ledger) {
  const known = IN_HAND.get(instance) ?? { asking: [], subjects: new Set<string>() };
  IN_HAND.set(instance, known);
  return known;
}

/**
 * Gives back what this process has worked on, and takes what is due and nobody has, in one message. It no longer has what
 * another process took meanwhile, because this one gave no sign of life.
 * @param options.limit most things, and their weight together; a single thing may weigh more
 * @param options.laterMs how long what comes later is left alone
 */
export async function takeDue(
  ledger: Ledger,
  stage: QueueName,
  { sql, values, next = [] }: Due,
  { limit, back, laterMs }: { limit: { things: number; weight: number }; back: Back; laterMs: number },
): Promise<Taken> {
  const now = ledger.databaseNow();
  const at = (place: number) => `$${values.length + place}`;
  const [named, worker, ended, later] = [at(1), at(2), at(3), at(4)];
  const [wait, things, weight] = [at(5), at(6), at(7)];
  const times = [...next, `SELECT min(until) FROM taken WHERE stage = ${named} AND until > ${now}`];
  const hand = handOf(ledger);
  // No sweep of this process may meanwhile find in nobody's hand what it takes.
  hand.asking.push(stage);
  letGo(ledger, stage, back);
  const { rows } = await ledger.pool
    .query<{ subject: string | null; at: Date | null; isMore: boolean }>(
      `WITH kept AS (
       SELECT subject FROM taken
       WHERE stage = ${named} AND worker = ${worker} AND until IS NULL AND subject = ANY (${ended})),
     free AS MATERIALIZED (
       SELECT subject, place, row_number() OVER (ORDER BY place) AS number, sum(weight) OVER (ORDER BY place) AS total
       FROM (${sql}) AS found WHERE subject IN (SELECT subject FROM kept) OR NOT is_taken(${named}, subject, ${now})),
     due AS (
       SELECT subject, place FROM free WHERE number = 1 OR (number <= ${things} AND total <= ${weight})),
     given AS (DELETE FROM taken WHERE stage = ${named} AND worker = ${worker} AND subject = ANY (${ended})
                AND subject NOT IN (SELECT subject FROM due)),
     put_off AS (UPDATE taken SET until = ${now} + ${wait} * interval '1 millisecond'
                 WHERE stage = ${named} AND worker = ${worker} AND subject = ANY (${later})),
     got AS (
       INSERT INTO taken AS t (stage, subject, worker)
         SELECT ${named}, subject, ${worker} FROM due WHERE subject NOT IN (SELECT subject FROM kept) ORDER BY subject
       ON CONFLICT (stage, subject) DO UPDATE SET worker = excluded.worker, until = NULL
         WHERE NOT is_taken(t.stage, t.subject, ${now})
       RETURNING subject),
     ours AS (SELECT subject, place FROM due WHERE subject IN (SELECT subject FROM kept UNION ALL SELECT subject FROM got))
     SELECT subject, NULL::timestamptz AS at, place, (SELECT count(*) FROM free) > (SELECT count(*) FROM due) AS "isMore" FROM ours
     UNION ALL
     SELECT NULL, (SELECT min(at) FROM (${times.join(' UNION ALL ')}) AS times (at)), NULL, false
       WHERE NOT EXISTS (SELECT FROM ours)
     ORDER BY place`,
      [...values, stage, ledger.instance.id, back.ended, back.later, laterMs, limit.things, limit.weight],
    )
    .finally(() => hand.asking.splice(hand.asking.indexOf(stage), 1));
  const subjects = rows.flatMap(({ subject }) => subject ?? []);
  for (const subject of subjects) hand.subjects.add(`${stage}/${subject}`);
  return { subjects, isMore: rows.some(({ isMore }) => isMore), nextAt: rows[0]?.at ?? null };
}

/** Gives back what this process has worked on, and takes nothing. If that fails, the next sweep does it. */
export async function giveBack(ledger: Ledger, stage: QueueName, back: Back, laterMs: number): Promise<void> {
  await takeDue(ledger, stage, NOTHING_DUE, { limit: { things: 0, weight: 0 }, back, laterMs });
}

const NOTHING_DUE: Due = { sql: 'SELECT NULL::text AS subject, 0 AS place, 0 AS weight WHERE false', values: [] };

function letGo(ledger: Ledger, stage: QueueName, { ended, later }: Back): void {
  const { subjects } = handOf(ledger);
  for (const subject of [...ended, ...later]) subjects.delete(`${stage}/${subject}`);
}

/** Lets a person have tried at once what failed: nothing of a file, or of an account, is left alone any longer. */
export async function tryAgain({ pool }: Ledger, file: { file_id: string; account: string }): Promise<void> {
  await pool.query(
    `DELETE FROM taken WHERE until IS NOT NULL AND (subject IN ($1, $2) OR starts_with(subject, $1 || '/'))`,
    [file.file_id, file.account],
  );
}

/**
 * Gives back what processes had that have died or give no sign of life, and what this one was given while the answer was
 * lost. A process that has just lost the server may come back. Removes what was left alone long enough, too.
 */
export async function giveBackOfDead(ledger: Ledger): Promise<void> {
  const { pool, instance } = ledger;
  const { asking, subjects } = handOf(ledger);
  await pool.query(
    `DELETE FROM taken WHERE worker = $1 AND until IS NULL AND stage <> ALL ($2) AND stage || '/' || subject <> ALL ($3)`,
    [instance.id, asking, [...subjects]],
  );
  const now = ledger.databaseNow();
  await pool.query(`DELETE FROM taken t WHERE t.until IS NOT NULL AND NOT is_taken(t.stage, t.subject, ${now})`);
  if (!instance.isSettled()) return;
  await pool.query(
    `DELETE FROM taken t WHERE t.worker <> $1 AND t.until IS NULL AND (NOT ${isAlive('t.worker')}
       OR EXISTS (SELECT FROM process p WHERE p.process_id = t.worker AND p.seen_at < ${now} - $2 * interval '1 millisecond'))`,
    [instance.id, FROZEN_MS],
  );
}

/**
 * A process without a sign of life for this long, in ms, is frozen or cut off. It gives one every five seconds. Users hear
 * of it later (SILENT_MS in read-presence.ts); that others do its work costs nothing.
 */
const FROZEN_MS = 20_000;
