import type { QueueName } from '../../../schemas/jobs.ts';
import type { App } from '../../../src/app.ts';
import { dueNames } from '../../../src/ledger/batch/due-work.ts';
import type { Stage } from '../../../workers/stage.ts';
import { query } from './story.ts';

/** Returns what a stage finds due and nobody works on, in the order in which it would be taken. */
export async function dueOf<Thing>(app: App, stage: Stage<Thing>): Promise<Thing[]> {
  const { subjects } = await ask(app, stage);
  return subjects.map((subject) => stage.thingOf(subject));
}

/** Returns when more of a stage becomes due by itself. */
export async function nextDueOf<Thing>(app: App, stage: Stage<Thing>): Promise<Date | null> {
  return (await ask(app, stage)).at;
}

async function ask<Thing>(app: App, stage: Stage<Thing>): Promise<{ subjects: string[]; at: Date | null }> {
  const { due, asked: question } = await stage.findDue(app);
  const now = app.ledger.databaseNow();
  const [answer] = await query<{ subjects: string[] | null; at: Date | null }>(
    app,
    `SELECT (SELECT array_agg(subject ORDER BY place) FROM find_due($1, $2, 1000) WITH ORDINALITY AS d (subject, weight, place)
             WHERE NOT EXISTS (SELECT FROM taken t WHERE t.stage = $3 AND t.subject = d.subject AND still_taken(t.until, ${now}))) AS subjects,
            next_due($1, $2, $3, ${now}) AS at`,
    [due, question, stage.name],
  );
  return { at: answer!.at, subjects: answer!.subjects ?? [] };
}

/** Returns the stage with exactly these things due, in this order, whatever the ledger says. */
export function onlyOf<Thing>(stage: Stage<Thing>, things: readonly Thing[]): Stage<Thing> {
  return { ...stage, findDue: () => dueNames(things.map((thing) => stage.itemOf(thing).subject)) };
}

/** Ends the time for which things are left alone after a failure. */
export async function endWait(app: App, stage: QueueName, ...subjects: string[]): Promise<void> {
  await putTaken(app, { stage, until: '-1 second' }, ...subjects);
}

/** Writes that a worker has these things, or that they are left alone until then. */
export async function putTaken(
  app: App,
  { stage, worker = 'another', until }: { stage: QueueName; worker?: string; until?: string },
  ...subjects: string[]
): Promise<void> {
  await query(
    app,
    `INSERT INTO taken (stage, subject, worker, until)
       SELECT $1, subject, $3, ${app.ledger.databaseNow()} + $4::interval FROM unnest($2::text[]) AS subject
     ON CONFLICT (stage, subject) DO UPDATE SET worker = excluded.worker, until = excluded.until`,
    [stage, subjects, worker, until],
  );
}

/** Returns what is taken of a stage, and whether somebody works on it or it is left alone. */
export function takenOf(app: App, stage: QueueName): Promise<{ subject: string; isWorkedOn: boolean }[]> {
  return query(app, 'SELECT subject, until IS NULL AS "isWorkedOn" FROM taken WHERE stage = $1 ORDER BY subject', [
    stage,
  ]);
}
