import type { QueueName } from '../../../schemas/jobs.ts';
import { ALIVE_LOCKS } from '../engine/instance.ts';
import type { Ledger } from '../engine/open-ledger.ts';

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
  const { rows } = await ledger.pool.query<{ subject: string }>(
    `SELECT subject FROM take($1, $2, $3, ${ledger.databaseNow()}) AS subject`,
    [stage, subjects, ledger.instance.id],
  );
  return new Set(rows.map(({ subject }) => subject));
}

/** Gives back what this process has taken. What is still due may be taken again at once. */
export async function giveBack({ pool }: Ledger, stage: QueueName, subjects: readonly string[]): Promise<void> {
  await pool.query('DELETE FROM taken WHERE stage = $1 AND subject = ANY ($2)', [stage, subjects]);
}

/** Leaves alone for a while what has just failed, so that it is not tried again and again. */
export async function leaveAlone(
  ledger: Ledger,
  stage: QueueName,
  subjects: readonly string[],
  forMs: number,
): Promise<void> {
  await ledger.pool.query(
    `UPDATE taken SET until = ${ledger.databaseNow()} + $3 * interval '1 millisecond' WHERE stage = $1 AND subject = ANY ($2)`,
    [stage, subjects, forMs],
  );
}

/** Lets a person have tried at once what failed: nothing of a file, or of an account, is left alone any longer. */
export async function tryAgain({ pool }: Ledger, file: { file_id: string; account: string }): Promise<void> {
  await pool.query(
    `DELETE FROM taken WHERE until IS NOT NULL AND (subject IN ($1, $2) OR starts_with(subject, $1 || '/'))`,
    [file.file_id, file.account],
  );
}

/** Gives back what processes had that have died. A process that has just lost the server may come back. */
export async function giveBackOfDead({ pool, instance }: Ledger): Promise<void> {
  if (!instance.isSettled()) return;
  await pool.query(
    `DELETE FROM taken t WHERE t.worker <> $2 AND NOT EXISTS (
       SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
         AND l.classid = $1 AND l.objid = hashtext(t.worker)::oid
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
    [ALIVE_LOCKS, instance.id],
  );
}
