import type { QueueName } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { findClaims } from '../src/drop/find-claims.ts';
import { removeEmptyClaim } from '../src/drop/release-claim.ts';
import { removeStaleTemporaries } from '../src/drop/remove-stale-temporaries.ts';
import { crashPoint } from '../src/kernel/crash-point.ts';
import { foldersHere } from '../src/kernel/config.ts';
import { reasonOf } from '../src/kernel/errors.ts';
import { schedulesHere } from '../src/kernel/schedules-here.ts';
import { closedAccounts, nextSendAt } from '../src/kernel/send-window.ts';
import { recoverBatches } from '../src/ledger/moves/recover-batches.ts';
import { recallForgotten } from '../src/ledger/moves/recall-batch.ts';
import { findDueWork, findSendable } from '../src/ledger/queries/due-work.ts';
import { readFileState } from '../src/ledger/queries/read-file.ts';
import type { BatchRow } from '../src/ledger/records.ts';
import type { Which } from '../src/queue/named-queue.ts';
import { finishClaimed } from './intake.ts';
import { takeClaim } from './take-claim.ts';
import { setAside } from './set-aside.ts';
import { checkExpected } from './schedule/check-expected.ts';
import { findDueRuns } from './schedule/due-runs.ts';
import { askForIntake, askForRuns, askToDeliver, askToPoll, askToSubmit, pollWaitMs, STEMS, stemOf } from './wake.ts';

/**
 * Makes whole what a crash, a lost queue or a lost connection left behind. Everything here is read from the ledger and
 * the folders, may be repeated at any time, and sends nothing by itself.
 * @param options.atSite false in a process that has no folders
 */
export async function sweep(app: App, { atStart = false, atSite = true } = {}): Promise<void> {
  await recoverDeadWorkers(app);
  crashPoint('sweep.batches-recovered');
  await refillQueue(app, atStart);
  if (atSite) await askForDueRuns(app, atStart);
  // At the start a file that is expected may lie in its folder, and nobody has looked yet.
  if (!atStart) await checkExpected(app);
  crashPoint('sweep.queue-refilled');
  // Last, so that trouble with a folder or the disk holds up nothing that the ledger knows already.
  if (atSite) await adoptClaims(app);
  crashPoint('sweep.claims-adopted');
  app.pulse.noteSweep();
}

/**
 * At start, before anything may be sent: an account whose journal is ahead of the ledger stops, and what was sent is in
 * doubt or barred from here on (F76). May be repeated.
 */
export async function compareJournal(app: App): Promise<void> {
  for (const { account, reason, recalled, forgotten } of await recallForgotten(
    app.ledger,
    app.settings.paths.journal,
  )) {
    const about = { account, code: 'JOURNAL_AHEAD', inDoubt: recalled.length, forgotten: forgotten.length };
    app.log.error(about, `account stopped: ${reason}`);
  }
}

/** No output takes this long to write; what is older was left by a process that died. */
const STALE_MS = 3_600_000;

/** Longer than any call: name look-up, connection, intent (as old as the lease at most), answer, room for a slow disk. */
export function longestCallMs(app: App): number {
  const accounts = [...app.settings.accounts.values()];
  const callMs = accounts.map((account) => account.connectTimeoutMs + account.leaseMs + account.answerTimeoutMs);
  return Math.max(...callMs) + 60_000;
}

async function recoverDeadWorkers(app: App): Promise<void> {
  for (const batch of await recoverBatches(app.ledger, longestCallMs(app))) {
    const about = { fileId: batch.file_id, batchNo: batch.batch_no, account: batch.account };
    if (batch.state === 'sending')
      app.log.error(about, 'batch in doubt: its worker died in the middle of the call; account stopped');
    else app.log.warn(about, 'batch taken back from a dead worker; nothing was sent');
  }
}

/** Every claim in a work folder has a row in the ledger, and one that is decided has no plain bytes left (F8). */
async function adoptClaims(app: App): Promise<void> {
  const folders = foldersHere(app.settings);
  for (const work of new Set(folders.map((folder) => folder.work))) {
    const found = await findClaims(work);
    for (const claim of found.claims) {
      try {
        const state = await readFileState(app.ledger, claim.fileId);
        if (state === undefined) await takeClaim(app, claim);
        else if (state !== 'claimed') await finishClaimed(app, claim.fileId);
      } catch (error) {
        app.log.error({ fileId: claim.fileId }, reasonOf(error));
      }
    }
    for (const dir of found.empty) await removeEmptyClaim(dir);
    for (const drop of found.strange) await setAside(app, drop, work);
  }
  // In a drop folder lies what a resubmission was writing when it was killed.
  for (const dir of [app.settings.paths.out, ...folders.map((folder) => folder.path)]) {
    await removeStaleTemporaries(dir, { olderThanMs: STALE_MS, clock: app.clock }).catch((error: unknown) =>
      app.log.error({ dir }, reasonOf(error)),
    );
  }
}

/**
 * A job for everything that is due and has none. Jobs that run count as asked for, but not at the start: then they may
 * be those of the process that was killed before, which the queue takes for running until their locks run out. Nor do
 * they for a batch that may be sent: a job that truly ran would have taken it, so this one's worker was killed or could
 * not tell the queue of its end.
 *
 * What is due although its job still waits for a time gets another one: the queue reckons by the clock of the host, and
 * when that was set back a job would wait for as long as it jumped.
 */
async function refillQueue(app: App, atStart: boolean): Promise<void> {
  await app.queue.heal();
  const closed = closedAccounts(app.settings.accounts.values(), app.clock.now());
  const due = await findDueWork(app.ledger, { site: app.settings.site, closed });
  const stems = async (name: QueueName, which: Which) => new Set([...(await app.queue.ids(name, which))].map(stemOf));
  const [intake, submit, poll, latePoll, deliver] = await Promise.all([
    stems('intake', atStart ? 'waiting' : 'live'),
    stems('submit', 'next'),
    stems('poll', atStart ? 'waiting' : 'live'),
    stems('poll', atStart ? 'waiting' : 'pressing'),
    stems('deliver', atStart ? 'waiting' : 'live'),
  ]);
  for (const fileId of due.intake) if (!intake.has(STEMS.intake(fileId))) await askForIntake(app, fileId);
  for (const key of due.submit) if (!submit.has(STEMS.submit(key))) await askToSubmit(app, key);
  for (const batch of due.poll)
    if (!(isLate(app, batch) ? latePoll : poll).has(STEMS.poll(batch))) await askToPoll(app, batch);
  await askAtOpening(app, closed);
  for (const fileId of due.deliver) if (!deliver.has(STEMS.deliver(fileId))) await askToDeliver(app, fileId);
}

/**
 * One job for each account whose window is closed, to wait until it opens. Other times are asked of the ledger again by
 * then: the sweep after the opening finds what this job should have asked for, if it was lost.
 */
async function askAtOpening(app: App, closed: readonly string[]): Promise<void> {
  if (closed.length === 0) return;
  const waiting = new Set([...(await app.queue.ids('submit', 'waiting'))].map(stemOf));
  for (const name of closed) {
    const opensAt = nextSendAt(app.account(name), app.clock.now());
    if (!opensAt) continue;
    const delayMs = opensAt.getTime() - app.clock.now().getTime();
    for (const key of await findSendable(app.ledger, name))
      if (!waiting.has(STEMS.submit(key))) await askToSubmit(app, key, delayMs);
  }
}

/** Schedules whose time has come, or whose run was left by a process that died. */
async function askForDueRuns(app: App, atStart: boolean): Promise<void> {
  const schedules = schedulesHere(app.settings);
  if (schedules.length === 0) return;
  const asked = new Set([...(await app.queue.ids('schedule', atStart ? 'waiting' : 'live'))].map(stemOf));
  for (const [name, schedule] of schedules) {
    const due = await findDueRuns(app, name, schedule);
    if (due.length > 0 && !asked.has(STEMS.schedule(name))) await askForRuns(app, name);
  }
}

/** A delayed job may begin a little later than its time, in ms. */
const LATE_MS = 10_000;

function isLate(app: App, batch: BatchRow): boolean {
  const dueMs = batch.next_poll_at?.getTime() ?? 0;
  return pollWaitMs(app, batch) === 0 && Math.abs(app.clock.now().getTime() - dueMs) > LATE_MS;
}
