import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueName } from '../../../schemas/jobs.ts';
import { isAlive } from '../engine/instance.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** The question what is due for a stage: which of `find_due` in schemas/ledger/stage.sql, and what that needs. */
export type Due = {
  readonly due: 'intake' | 'deliver' | 'poll' | 'submit' | 'names';
  readonly asked: {
    readonly site?: string;
    /** The accounts that this process means as the ledger does, as `boundKeys` returns them. */
    readonly bound?: readonly string[];
    readonly names?: readonly string[];
    /** By the clock of the host. */
    readonly at?: Date;
    /** Times to come at which more becomes due by itself. */
    readonly opens?: readonly Date[];
    readonly longestRepollMs?: number;
    readonly longestRecheckMs?: number;
    readonly longestReleaseMs?: number;
  };
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

type InHand = {
  /** Stages that are being asked for. */
  readonly asking: QueueName[];
  /** What the process works on, as far as it knows, as `stage/subject`. */
  readonly subjects: Set<string>;
  /** Settles after the question that was asked last; undefined once it has. */
  turn?: Promise<void> | undefined;
};

const IN_HAND = new WeakMap<Ledger['instance'], InHand>();

function handOf({ instance }: Ledger): InHand {
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
  { due, asked }: Due,
  { limit, back, laterMs }: { limit: { things: number; weight: number }; back: Back; laterMs: number },
): Promise<Taken> {
  const now = ledger.databaseNow();
  const { rows } = await asking(ledger, stage, back, () =>
    ledger.pool.query<{ subjects: string[] | null; is_more: boolean; next_at: Date | null }>(
      `SELECT * FROM take($1, $2, $3, $4, ${now}, $5, $6, ${now} + $7 * interval '1 millisecond', $8, $9)`,
      [stage, due, asked, ledger.instance.id, back.ended, back.later, laterMs, limit.things, limit.weight],
    ),
  );
  const { subjects: taken, is_more: isMore, next_at: nextAt } = rows[0]!;
  const subjects = taken ?? [];
  for (const subject of subjects) handOf(ledger).subjects.add(`${stage}/${subject}`);
  return { subjects, isMore, nextAt };
}

/** Gives back what this process has worked on, and takes nothing. If that fails, the next sweep does it. */
export async function giveBack(ledger: Ledger, stage: QueueName, back: Back, laterMs: number): Promise<void> {
  const until = `${ledger.databaseNow()} + $5 * interval '1 millisecond'`;
  await asking(ledger, stage, back, () =>
    ledger.pool.query(`SELECT give_back($1, $2, $3, $4, ${until})`, [
      stage,
      ledger.instance.id,
      back.ended,
      back.later,
      laterMs,
    ]),
  );
}

/**
 * Lets go of what is given back. Until the answer, no sweep of this process takes what is exchanged for a leftover.
 *
 * The stages of a process ask one after the other. Each answer takes a moment, but a session of the server that has never
 * answered such a question plans it first, which takes a hundred times as long; at a start all of them ask at once.
 */
async function asking<Result>(
  ledger: Ledger,
  stage: QueueName,
  back: Back,
  ask: () => Promise<Result>,
): Promise<Result> {
  const hand = handOf(ledger);
  hand.asking.push(stage);
  letGo(ledger, stage, back);
  const answer = askAfter(hand.turn, ask);
  const end = () => {
    if (hand.turn === turn) hand.turn = undefined;
  };
  const turn = answer.then(end, end);
  hand.turn = turn;
  return answer.finally(() => hand.asking.splice(hand.asking.indexOf(stage), 1));
}

/** Longest wait for the question of another stage, in ms: its connection may be dead. */
const LONGEST_TURN_MS = 1_000;

async function askAfter<Result>(turn: Promise<void> | undefined, ask: () => Promise<Result>): Promise<Result> {
  if (turn) await Promise.race([turn, sleep(LONGEST_TURN_MS, undefined, { ref: false })]);
  return ask();
}

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
  await pool.query(`DELETE FROM taken t WHERE t.until IS NOT NULL AND NOT still_taken(t.until, ${now})`);
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
