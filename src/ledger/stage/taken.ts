import type { QueueName } from '../../../schemas/jobs.ts';
import { ALIVE_LOCKS } from '../engine/instance.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** What each instance of this process works on, as `stage/subject`. */
const IN_HAND = new WeakMap<Ledger['instance'], Set<string>>();

function handOf({ instance }: Ledger): Set<string> {
  const known = IN_HAND.get(instance) ?? new Set<string>();
  IN_HAND.set(instance, known);
  return known;
}

function letGo(ledger: Ledger, stage: QueueName, subjects: readonly string[]): void {
  const hand = handOf(ledger);
  for (const subject of subjects) hand.delete(`${stage}/${subject}`);
}

/**
 * Takes things that are due for a stage, unless another process works on them or they failed a moment ago.
 * @param subjects their names in table `taken`
 * @returns the subjects that this process has now
 */
export async function take(
  ledger: Ledger,
  stage: QueueName,
  subjects: readonly string[],
): Promise<ReadonlySet<string>> {
  const hand = handOf(ledger);
  const fresh = subjects.filter((subject) => !hand.has(`${stage}/${subject}`));
  // Before they are taken, so that no sweep of this process finds them in nobody's hand.
  for (const subject of fresh) hand.add(`${stage}/${subject}`);
  let ours: ReadonlySet<string> = new Set();
  try {
    const { rows } = await ledger.pool.query<{ subject: string }>(
      `SELECT subject FROM take($1, $2, $3, ${ledger.databaseNow()}) AS subject`,
      [stage, subjects, ledger.instance.id],
    );
    ours = new Set(rows.map(({ subject }) => subject));
    return ours;
  } finally {
    letGo(
      ledger,
      stage,
      fresh.filter((subject) => !ours.has(subject)),
    );
  }
}

/** Gives back what this process has taken. What is still due may be taken again at once. */
export async function giveBack(ledger: Ledger, stage: QueueName, subjects: readonly string[]): Promise<void> {
  letGo(ledger, stage, subjects);
  await ledger.pool.query('DELETE FROM taken WHERE stage = $1 AND subject = ANY ($2) AND worker = $3', [
    stage,
    subjects,
    ledger.instance.id,
  ]);
}

/** Leaves alone for a while what has just failed, so that it is not tried again and again. */
export async function leaveAlone(
  ledger: Ledger,
  stage: QueueName,
  subjects: readonly string[],
  forMs: number,
): Promise<void> {
  letGo(ledger, stage, subjects);
  await ledger.pool.query(
    `UPDATE taken SET until = ${ledger.databaseNow()} + $3 * interval '1 millisecond'
     WHERE stage = $1 AND subject = ANY ($2) AND worker = $4`,
    [stage, subjects, forMs, ledger.instance.id],
  );
}

/** Lets a person have tried at once what failed: nothing of a file, or of an account, is left alone any longer. */
export async function tryAgain({ pool }: Ledger, file: { file_id: string; account: string }): Promise<void> {
  await pool.query(
    `DELETE FROM taken WHERE until IS NOT NULL AND (subject IN ($1, $2) OR starts_with(subject, $1 || '/'))`,
    [file.file_id, file.account],
  );
}

/**
 * Gives back what processes had that have died, and what this one could not give back while the ledger was away. A
 * process that has just lost the server may come back.
 */
export async function giveBackOfDead(ledger: Ledger): Promise<void> {
  await giveBackForgotten(ledger);
  const { pool, instance } = ledger;
  if (!instance.isSettled()) return;
  await pool.query(
    `DELETE FROM taken t WHERE t.worker <> $2 AND NOT EXISTS (
       SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
         AND l.classid = $1 AND l.objid = hashtext(t.worker)::oid
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
    [ALIVE_LOCKS, instance.id],
  );
}

/** Gives back what stands under the name of this process and is in none of its hands. */
async function giveBackForgotten(ledger: Ledger): Promise<void> {
  const { rows } = await ledger.pool.query<{ stage: QueueName; subject: string }>(
    'SELECT stage, subject FROM taken WHERE worker = $1 AND until IS NULL',
    [ledger.instance.id],
  );
  for (const { stage, subject } of rows)
    if (!handOf(ledger).has(`${stage}/${subject}`)) await giveBack(ledger, stage, [subject]);
}
