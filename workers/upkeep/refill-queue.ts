import type { QueueName } from '../../schemas/jobs.ts';
import type { App } from '../../src/app.ts';
import { schedulesHere } from '../../src/config/schedules-here.ts';
import { closedAccounts, nextSendAt } from '../../src/calendar/send-window.ts';
import { findDueWork, findSendable } from '../../src/ledger/batch/due-work.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';
import type { Which } from '../../src/queue/named-queue.ts';
import { longestRecheckMs } from '../poll/recheck.ts';
import { findDueRuns } from '../schedule/due-runs.ts';
import {
  enqueueIntake,
  enqueueRuns,
  enqueueDeliveryAt,
  enqueuePoll,
  enqueueSubmit,
  filesOf,
  pollWaitMs,
  JOB_KEYS,
  jobKeyOf,
} from '../enqueue.ts';

/**
 * Adds a job for everything that is due and has none. Running jobs count, but not at start: they may be those of a
 * killed process, until their locks run out. For a batch that may be sent they never count. A live job would have taken
 * it, so its worker was killed or could not report its end.
 *
 * A batch that is due although its job is delayed gets another job. The queue uses the host's clock; after that was set
 * back, the job would wait as long as the jump.
 */
export async function refillQueue(app: App, atStart: boolean): Promise<void> {
  await app.queue.heal();
  const closed = closedAccounts(app.settings.accounts.values(), app.clock.now());
  const due = await findDueWork(app.ledger, {
    site: app.settings.site,
    closed,
    longestRecheckMs: longestRecheckMs(app.settings.accounts.values()),
  });
  const jobKeys = async (name: QueueName, which: Which) =>
    new Set([...(await app.queue.ids(name, which))].map(jobKeyOf));
  const [intake, submit, poll, latePoll, deliver] = await Promise.all([
    jobKeys('intake', atStart ? 'waiting' : 'live'),
    jobKeys('submit', 'next'),
    jobKeys('poll', atStart ? 'waiting' : 'live'),
    jobKeys('poll', atStart ? 'waiting' : 'pressing'),
    jobKeys('deliver', atStart ? 'waiting' : 'live'),
  ]);
  const { site } = app.settings;
  await enqueueIntake(app, withoutAsked(due.intake, intake), site);
  for (const key of due.submit) if (!submit.has(JOB_KEYS.submit(key))) await enqueueSubmit(app, key);
  for (const batch of due.poll)
    if (!(isLate(app, batch) ? latePoll : poll).has(JOB_KEYS.poll(batch))) await enqueuePoll(app, batch);
  await askAtOpening(app, closed);
  await enqueueDeliveryAt(app, site, withoutAsked(due.deliver, deliver));
}

function withoutAsked(fileIds: readonly string[], jobKeys: ReadonlySet<string>): string[] {
  const asked = new Set([...jobKeys].flatMap(filesOf));
  return fileIds.filter((fileId) => !asked.has(fileId));
}

/**
 * Adds one job for each account whose window is closed, delayed until it opens. That job checks the ledger's other
 * waits again. If it is lost, the sweep after the opening finds the batch.
 */
async function askAtOpening(app: App, closed: readonly string[]): Promise<void> {
  if (closed.length === 0) return;
  const waiting = new Set([...(await app.queue.ids('submit', 'waiting'))].map(jobKeyOf));
  for (const name of closed) {
    const opensAt = nextSendAt(app.account(name), app.clock.now());
    if (!opensAt) continue;
    const delayMs = opensAt.getTime() - app.clock.now().getTime();
    for (const key of await findSendable(app.ledger, name))
      if (!waiting.has(JOB_KEYS.submit(key))) await enqueueSubmit(app, key, delayMs);
  }
}

/** Adds jobs for schedules whose time has come, or whose run a dead process left. */
export async function askForDueRuns(app: App, atStart: boolean): Promise<void> {
  const schedules = schedulesHere(app.settings);
  if (schedules.length === 0) return;
  const asked = new Set([...(await app.queue.ids('schedule', atStart ? 'waiting' : 'live'))].map(jobKeyOf));
  for (const [name, schedule] of schedules) {
    const due = await findDueRuns(app, name, schedule);
    if (due.length > 0 && !asked.has(JOB_KEYS.schedule(name))) await enqueueRuns(app, name);
  }
}

/** How late a delayed job may begin, in ms. */
const LATE_MS = 10_000;

function isLate(app: App, batch: BatchRow): boolean {
  const dueMs = batch.next_poll_at?.getTime() ?? 0;
  return pollWaitMs(app, batch) === 0 && Math.abs(app.clock.now().getTime() - dueMs) > LATE_MS;
}
