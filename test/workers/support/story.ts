import { readFileSync } from 'node:fs';
import type { QueueName } from '../../../schemas/jobs.ts';
import type { App } from '../../../src/app.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { findSendable } from '../../../src/ledger/batch/due-work.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { jobKeyOf } from '../../../workers/enqueue.ts';
import { emptyQueue } from '../../support/drop-queue.ts';

/** What ledger, audit trail and send journal know of a batch. */
export type Story = {
  state: string;
  attempt: number;
  batchId: string | null;
  reason: string | null;
  attempts: { attempt: number; verdict: string | null; evidence: Record<string, unknown> | null }[];
  /** Names of the moves in the audit trail, in order. */
  moves: string[];
  /** Attempts in the send journal. */
  journal: number[];
  /** Why the account is stopped, if it is. */
  stop: string | undefined;
  /** Whether the ledger would now let any batch of the account be sent. */
  maySend: boolean;
};

/** The story of a batch of which nothing was sent, so that it waits again as before. */
export const RELEASED = { state: 'ready', attempts: [], journal: [], moves: ['prepare', 'release'] };

export async function storyOf(app: App, key: BatchKey): Promise<Story> {
  const batch = await readBatchRow(app.ledger, key);
  return {
    state: batch.state,
    attempt: batch.attempt,
    batchId: batch.batch_id,
    reason: batch.reason,
    attempts: await query<Story['attempts'][number]>(
      app,
      'SELECT attempt, verdict, evidence FROM attempt WHERE file_id = $1 AND batch_no = $2 ORDER BY attempt',
      [key.fileId, key.batchNo],
    ),
    moves: await movesOf(app, key),
    journal: readJournal(app)
      .filter((entry) => entry.fileId === key.fileId && entry.batchNo === key.batchNo)
      .map((entry) => entry.attempt),
    stop: await readStop(app, batch.account),
    maySend: (await findSendable(app.ledger, batch.account)).length > 0,
  };
}

export async function movesOf(app: App, key: { fileId: string; batchNo?: number }): Promise<string[]> {
  const rows = await query<{ move: string }>(
    app,
    'SELECT move FROM audit WHERE file_id = $1 AND batch_no IS NOT DISTINCT FROM $2 ORDER BY seq',
    [key.fileId, key.batchNo ?? null],
  );
  return rows.map((row) => row.move);
}

/** Reads synchronously, so that a handler of the service can look before it answers. */
export function readJournal(app: App): { account: string; fileId: string; batchNo: number; attempt: number }[] {
  return readFileSync(app.settings.paths.journal, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.includes('"kind":'))
    .map((line) => JSON.parse(line));
}

export async function readStop(app: App, account: string): Promise<string | undefined> {
  const [row] = await query<{ reason: string }>(app, 'SELECT reason FROM account_stop WHERE account = $1', [account]);
  return row?.reason;
}

/** Returns the jobs that a step added for a file, such as `poll-1-0`, without the random ends of their ids. */
export async function jobsAddedBy(app: App, fileId: string, step: () => Promise<unknown>): Promise<string[]> {
  const before = await jobIds(app, fileId);
  await step();
  const added = [...(await jobIds(app, fileId))].filter((id) => !before.has(id));
  return added.map((id) => jobKeyOf(id).replace(FILES, '')).sort();
}

/** The file ids in a job id. */
const FILES = /-[0-9a-z]{16}(\.[0-9a-z]{16})*/;

export async function jobIds(app: App, fileId: string): Promise<Set<string>> {
  const names = ['intake', 'submit', 'poll', 'deliver'] as const satisfies readonly QueueName[];
  const ids = await Promise.all(names.map((name) => app.queue.ids(name, 'waiting')));
  return new Set(ids.flatMap((set) => [...set]).filter((id) => id.includes(fileId)));
}

/** Removes every job of every queue, as a FLUSHALL does. */
export async function loseQueue(app: App): Promise<void> {
  await emptyQueue(app.ledger.pool);
}

export async function query<Row extends object>(app: App, sql: string, values: unknown[] = []): Promise<Row[]> {
  return (await app.ledger.pool.query<Row>(sql, values)).rows;
}
