import type { Payload } from '../../../schemas/jobs.ts';
import type { App } from '../../../src/app.ts';
import { findDueWork } from '../../../src/ledger/batch/due-work.ts';
import { deliverFile } from '../../../workers/deliver/deliver.ts';
import { intakeFile } from '../../../workers/intake/intake.ts';
import { pollBatch } from '../../../workers/poll/poll.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import type { Instance } from '../instance/open-instance.ts';
import type { FileQueue, Job } from '../memory-queue.ts';
import type { World } from '../world.ts';

/** Work for a stage: a job of the queue, or one that was never queued. */
export type Chore = {
  readonly name: FileQueue;
  readonly payload: Payload<FileQueue>;
  /** The file and batch, for the story. */
  readonly about: string;
  /** The job of the queue from which it was taken, if any. */
  readonly job: Job | undefined;
};

const STAGES: { [Name in FileQueue]: (app: App, payload: Payload<Name>) => Promise<void> } = {
  intake: (app, job) => eachFile(job, (fileId) => intakeFile(app, { fileId })),
  submit: submitBatch,
  poll: pollBatch,
  deliver: (app, job) => eachFile(job, (fileId) => deliverFile(app, { fileId })),
};

/** Handles all files without a time limit, which would make a seed unrepeatable. */
async function eachFile(
  { fileId, more = [] }: Payload<'intake'>,
  work: (fileId: string) => Promise<void>,
): Promise<void> {
  for (const next of [fileId, ...more]) await work(next);
}

export function runJob(instance: Instance, chore: Chore): Promise<void> {
  const stage = STAGES[chore.name] as (app: App, payload: Payload<FileQueue>) => Promise<void>;
  return instance.run((app) => stage(app, chore.payload));
}

/** Returns a job of the queue that is due. */
export async function chooseDueJob(world: World): Promise<Chore | undefined> {
  const nowMs = world.clock.now().getTime();
  const due = world.queue.waiting().filter((job) => job.dueMs <= nowMs);
  return due.length === 0 ? undefined : ofJob(world, world.choose.one(due));
}

/** Returns work that the ledger says is due, whether or not a job exists for it. */
export async function chooseDueWork(world: World): Promise<Chore | undefined> {
  const due = await findDueWork(world.office);
  const chores: { name: FileQueue; payload: Payload<FileQueue> }[] = [
    ...due.intake.map((fileId) => ({ name: 'intake' as const, payload: { fileId } })),
    ...due.submit.map((payload) => ({ name: 'submit' as const, payload })),
    ...due.poll.map((batch) => ({
      name: 'poll' as const,
      payload: { fileId: batch.file_id, batchNo: batch.batch_no },
    })),
    ...due.deliver.map((fileId) => ({ name: 'deliver' as const, payload: { fileId } })),
  ];
  if (chores.length === 0) return undefined;
  const { name, payload } = world.choose.one(chores);
  return { name, payload, about: await describe(world, payload), job: undefined };
}

/** Returns work that no caller would queue: any stage for any file or batch there ever was, or for none at all. */
export async function chooseWrongWork(world: World): Promise<Chore | undefined> {
  const { choose } = world;
  const { rows } = await world.office.pool.query<{ fileId: string; batchNo: number | null }>(
    `SELECT f.file_id AS "fileId", b.batch_no AS "batchNo" FROM file f LEFT JOIN batch b USING (file_id)
     ORDER BY f.file_no, b.batch_no`,
  );
  if (rows.length === 0) return undefined;
  const { fileId, batchNo } = choose.one(rows);
  const name = choose.one(Object.keys(STAGES) as FileQueue[]);
  const ofBatch = { fileId, batchNo: choose.happens(0.1) ? 99 : (batchNo ?? 1) };
  const payload = name === 'submit' || name === 'poll' ? ofBatch : { fileId };
  return { name, payload, about: await describe(world, payload), job: undefined };
}

export async function ofJob(world: World, job: Job): Promise<Chore> {
  return { name: job.name, payload: job.payload, about: await describe(world, job.payload), job };
}

/** Names files after their drops, because ids mean nothing to a reader. */
async function describe(world: World, payload: Payload<FileQueue>): Promise<string> {
  const { rows } = await world.office.pool.query<{ name: string }>('SELECT name FROM file WHERE file_id = $1', [
    payload.fileId,
  ]);
  const name = rows[0]?.name ?? 'a file that the ledger does not know';
  return 'batchNo' in payload ? `${name}/${payload.batchNo}` : name;
}
