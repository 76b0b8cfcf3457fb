import type { QueueName } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { findClaims } from '../src/drop/find-claims.ts';
import { removeEmptyClaim } from '../src/drop/release-claim.ts';
import { removeStaleTemporaries } from '../src/drop/remove-stale-temporaries.ts';
import { reasonOf } from '../src/kernel/errors.ts';
import { recoverBatches } from '../src/ledger/moves/recover-batches.ts';
import { stopAccount } from '../src/ledger/moves/prepare-batch.ts';
import { findDueWork } from '../src/ledger/queries/due-work.ts';
import { readFileState } from '../src/ledger/queries/read-file.ts';
import { findForgottenSends } from '../src/ledger/send-journal.ts';
import { finishClaimed } from './intake.ts';
import { takeClaim } from './take-claim.ts';
import { setAside } from './watch.ts';
import { askForIntake, askToDeliver, askToPoll, askToSubmit, STEMS, stemOf } from './wake.ts';

/**
 * Makes whole what a crash, a lost queue or a lost connection left behind. Everything here is read from the ledger and
 * the folders, may be repeated at any time, and sends nothing by itself.
 */
export async function sweep(app: App, { atStart = false } = {}): Promise<void> {
  await recoverDeadWorkers(app);
  await refillQueue(app, atStart);
  // Last, so that trouble with a folder or the disk holds up nothing that the ledger knows already.
  await adoptClaims(app);
}

/** At start, before anything may be sent: an account whose journal is ahead of the ledger stops (F76). */
export async function compareJournal(app: App): Promise<void> {
  const forgotten = await findForgottenSends(app.ledger, app.settings.paths.journal);
  for (const account of new Set(forgotten.map((entry) => entry.account))) {
    const sends = forgotten.filter((entry) => entry.account === account);
    const reason = `the send journal knows ${sends.length} calls that the ledger does not, the first at ${sends[0]!.at}`;
    await stopAccount(app.ledger, account, reason);
    app.log.error({ account, code: 'JOURNAL_AHEAD' }, `account stopped: ${reason}`);
  }
}

/** No output takes this long to write; what is older was left by a process that died. */
const STALE_MS = 3_600_000;

/** Longer than any call: name look-up, connection, answer, and room for a slow disk. */
export function longestCallMs(app: App): number {
  const accounts = [...app.settings.accounts.values()];
  return Math.max(...accounts.map((account) => account.connectTimeoutMs + account.answerTimeoutMs)) + 60_000;
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
  for (const work of new Set(app.settings.folders.map((folder) => folder.work))) {
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
  await removeStaleTemporaries(app.settings.paths.out, { olderThanMs: STALE_MS, clock: app.clock });
}

/**
 * A job for everything that is due and has none. Jobs that run count as asked for, but not at the start: then they may
 * be those of the process that was killed before, which the queue takes for running until their locks run out.
 */
async function refillQueue(app: App, atStart: boolean): Promise<void> {
  await app.queue.heal();
  const due = await findDueWork(app.ledger);
  const asked = async (name: QueueName) => {
    const ids = await app.queue.ids(name, atStart ? 'waiting' : 'live');
    return new Set([...ids].map(stemOf));
  };
  const [intake, submit, poll, deliver] = await Promise.all(QUEUE_NAMES.map(asked));
  for (const fileId of due.intake) if (!intake!.has(STEMS.intake(fileId))) await askForIntake(app, fileId);
  for (const key of due.submit) if (!submit!.has(STEMS.submit(key))) await askToSubmit(app, key);
  for (const batch of due.poll) if (!poll!.has(STEMS.poll(batch))) await askToPoll(app, batch);
  for (const fileId of due.deliver) if (!deliver!.has(STEMS.deliver(fileId))) await askToDeliver(app, fileId);
}

const QUEUE_NAMES = ['intake', 'submit', 'poll', 'deliver'] as const satisfies readonly QueueName[];
