import { randomBytes } from 'node:crypto';
import { MOST_BATCHES, MOST_FILES, type Payload, type QueueName } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { crashPoint } from '../src/kernel/crash-point.ts';
import { waitLeftMs } from '../src/kernel/clock.ts';
import { isWindowOpen } from '../src/calendar/send-window.ts';
import type { BatchKey } from '../src/ledger/engine/move.ts';
import { findSendable } from '../src/ledger/batch/due-work.ts';
import { readFileSite } from '../src/ledger/file/read-file.ts';
import type { BatchRow } from '../src/ledger/engine/records.ts';
import type { AccountConfig } from '../schemas/config.ts';
import { LONGEST_REPOLL_MS } from '../src/ledger/batch/schedule-poll.ts';

/**
 * Adds a job that tells a stage what to look at. Its id is a job key and a new suffix. A job of the same id that is
 * just ending, or whose worker was killed, would swallow it. An extra job does no harm; the ledger lets one through.
 */
async function enqueue<Name extends QueueName>(
  app: App,
  name: Name,
  jobKey: string,
  payload: Payload<Name>,
  { delayMs = 0, site }: { delayMs?: number; site?: string | undefined } = {},
): Promise<void> {
  const id = `${jobKey}-${randomBytes(4).toString('hex')}`;
  const options = { delayMs: Math.max(0, delayMs), ...(site !== undefined && { site }) };
  const add = () => app.queue.add(name, id, payload, options);
  await ('fileId' in payload ? app.telemetry.trace(`ask for ${name}`, aboutOf(payload), add) : add());
  crashPoint('queue.job-added');
}

function aboutOf({ fileId, ...rest }: Payload<'intake' | 'submit'>): { fileId: string; batchNo?: number } {
  return 'batchNo' in rest ? { fileId, batchNo: rest.batchNo } : { fileId };
}

async function enqueueFiles(
  app: App,
  name: 'intake' | 'deliver',
  fileIds: readonly string[],
  site: string | undefined,
): Promise<void> {
  for (let from = 0; from < fileIds.length; from += MOST_FILES) {
    const [fileId, ...more] = fileIds.slice(from, from + MOST_FILES) as [string, ...string[]];
    const payload = more.length > 0 ? { fileId, more } : { fileId };
    await enqueue(app, name, JOB_KEYS[name](fileId, ...more), payload, { site });
  }
}

/** Returns the files in a job key, or of a poll what stands for each batch. */
export function filesOf(jobKey: string): string[] {
  return jobKey.slice(jobKey.indexOf('-') + 1).split('.');
}

/** Returns the job key of an id, by which the sweep sees that the job exists. */
export function jobKeyOf(jobId: string): string {
  return jobId.replace(/-[0-9a-f]{8}$/, '');
}

/** Job keys, by what to look at. */
export const JOB_KEYS = {
  intake: (...fileIds: string[]) => `intake-${fileIds.join('.')}`,
  submit: (key: BatchKey) => `submit-${key.fileId}-${key.batchNo}`,
  poll: (...batches: readonly Pick<BatchRow, 'file_id' | 'batch_no' | 'polls' | 'rechecks'>[]) =>
    `poll-${batches.map((batch) => `${batch.file_id}-${batch.batch_no}-${batch.polls + batch.rechecks}`).join('.')}`,
  deliver: (...fileIds: string[]) => `deliver-${fileIds.join('.')}`,
  schedule: (schedule: string) => `schedule-${schedule}`,
  reprocess: (runNo: number) => `reprocess-${runNo}`,
};

export function keyOf(batch: Pick<BatchRow, 'file_id' | 'batch_no'>): BatchKey {
  return { fileId: batch.file_id, batchNo: batch.batch_no };
}

/** @param site where the files were claimed */
export function enqueueIntake(app: App, fileIds: readonly string[], site: string): Promise<void> {
  return enqueueFiles(app, 'intake', fileIds, site);
}

export function enqueueSubmit(app: App, key: BatchKey, delayMs = 0): Promise<void> {
  return enqueue(app, 'submit', JOB_KEYS.submit(key), key, { delayMs });
}

/**
 * Adds the job that fetches the result of a submitted batch at the time set in the ledger.
 * @param more further batches of the same job, at most `MOST_BATCHES` in all; the latest time counts
 */
export function enqueuePoll(app: App, batch: BatchRow, ...more: readonly BatchRow[]): Promise<void> {
  const delayMs = Math.max(...[batch, ...more].map((one) => pollWaitMs(app, one)));
  const payload = { ...keyOf(batch), ...(more.length > 0 && { more: more.map(keyOf) }) };
  return enqueue(app, 'poll', JOB_KEYS.poll(batch, ...more), payload, { delayMs });
}

/** Longest time that a batch waits for others that share its job, in ms. */
const GATHER_MS = 250;

/** Most rows whose results a job fetches together: they are in memory at once. */
const MOST_ROWS = 5_000;

/** Gathers batches submitted in quick succession into shared jobs. If the process dies, the sweep adds those left. */
export function gatherPolls(app: App): { add(batch: BatchRow): void; end(): Promise<void> } {
  const asked: Promise<void>[] = [];
  let gathered: BatchRow[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const [first, ...more] = gathered;
    gathered = [];
    if (!first) return;
    const asking = enqueuePoll(app, first, ...more).then(() => crashPoint('submit.poll-asked'));
    // A failure counts when `end` awaits it.
    asking.catch(() => undefined);
    asked.push(asking);
  };
  return {
    add: (batch) => {
      gathered.push(batch);
      const rows = gathered.reduce((sum, one) => sum + one.rows, 0);
      if (gathered.length === MOST_BATCHES || rows >= MOST_ROWS) flush();
      else timer ??= setTimeout(flush, GATHER_MS);
    },
    /** Adds the rest, and waits until all are added. */
    end: async () => {
      flush();
      await Promise.all(asked);
    },
  };
}

/** Returns how long the next query for a result has to wait, in ms, by the ledger. */
export function pollWaitMs(app: App, batch: BatchRow): number {
  return waitLeftMs(batch.next_poll_at, app.clock.now(), longestPollMs(app, batch));
}

function longestPollMs(app: App, batch: BatchRow): number {
  const account = app.settings.accounts.get(batch.account);
  // An account that left the configuration must not block the sweep for the others.
  if (!account || batch.state === 'exception') return EXCEPTION_DELAY_MS;
  const ageMs = (batch.next_poll_at?.getTime() ?? 0) - (batch.submitted_at?.getTime() ?? 0);
  return longestPollDelayMs(account, ageMs);
}

/** Adds the job where the folder of the file lies, whichever process calls it. */
export async function enqueueDelivery(app: App, fileId: string): Promise<void> {
  await enqueueDeliveryAt(app, await readFileSite(app.ledger, fileId), [fileId]);
}

/** Adds the jobs when the site of the files is known. */
export function enqueueDeliveryAt(app: App, site: string | undefined, fileIds: readonly string[]): Promise<void> {
  return enqueueFiles(app, 'deliver', fileIds, site);
}

export function enqueueRuns(app: App, schedule: string): Promise<void> {
  return enqueue(app, 'schedule', JOB_KEYS.schedule(schedule), { schedule });
}

/** Adds the job at the site of this process; the sweep of every other site adds its own. */
export function enqueueReprocess(app: App, runNo: number): Promise<void> {
  return enqueue(app, 'reprocess', JOB_KEYS.reprocess(runNo), { runNo });
}

/**
 * Adds a job for the next batch of an account, if one may be sent. While its window is closed none is needed: the sweep
 * has one that waits for the opening.
 */
export async function enqueueNextBatch(app: App, account: string): Promise<void> {
  const next = await findNext(app, account);
  if (next) await enqueueSubmit(app, next);
}

/** Returns the account's batch that may be sent now, if there is one. */
export async function findNext(app: App, account: string): Promise<BatchKey | undefined> {
  if (!mayBeSent(app, account)) return undefined;
  const [next] = await findSendable(app.ledger, account);
  return next;
}

/** Returns whether an account's window is open. An account that left the configuration has none. */
export function mayBeSent(app: App, account: string): boolean {
  const times = app.settings.accounts.get(account);
  return times === undefined || isWindowOpen(times, app.clock.now());
}

/** Shortest wait between two queries, in ms, however small the settings are. */
const LEAST_MS = 50;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Returns the wait before the next query. Waits grow by the account's factor, so that a slow batch is not queried every
 * ten seconds all night. An overdue one is queried hourly, after a week daily, and forever: only the service knows its
 * outcome.
 * @param polls queries so far
 * @param ageMs since the service took the batch
 */
export function pollDelayMs({ poll }: Pick<AccountConfig, 'poll'>, polls: number, ageMs: number): number {
  if (ageMs >= 7 * DAY_MS) return DAY_MS;
  if (ageMs >= poll.staleMs) return HOUR_MS;
  return Math.max(LEAST_MS, Math.min(poll.firstMs * poll.factor ** Math.min(polls + 1, 50), poll.longestMs));
}

/** Returns the longest wait that may end at this age; no clock that was set back can exceed it. */
export function longestPollDelayMs({ poll }: Pick<AccountConfig, 'poll'>, ageMs: number): number {
  const slowMs = ageMs > 7 * DAY_MS ? DAY_MS : ageMs > poll.staleMs ? HOUR_MS : 0;
  return Math.max(LEAST_MS, poll.firstMs, poll.longestMs, slowMs);
}

/** Returns whether a result is so late that a person should know. */
export function isStale({ poll }: Pick<AccountConfig, 'poll'>, ageMs: number): boolean {
  return ageMs >= poll.staleMs;
}

/** How often a result that did not fit is fetched again automatically, in ms. */
export const EXCEPTION_DELAY_MS = LONGEST_REPOLL_MS;
