import type { App } from '../../src/app.ts';
import type { Claim } from '../../src/files/claims/finish-claim.ts';
import { findClaims } from '../../src/files/claims/find-claims.ts';
import { removeEmptyClaim } from '../../src/files/claims/release-claim.ts';
import { removeStaleTemporaries } from '../../src/files/outputs/output-draft.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { foldersHere } from '../../src/config/config.ts';
import { PipelineError, reasonOf } from '../../src/kernel/errors.ts';
import { recoverBatches } from '../../src/ledger/batch/recover-batches.ts';
import { findClosed } from '../../src/ledger/alarm/find-closed.ts';
import { readFileState } from '../../src/ledger/file/read-file.ts';
import { askAgainWhenClosed } from '../admit-here.ts';
import { finishClaimed } from '../intake/intake.ts';
import { noting, refreshFailing, takingOf } from '../note-failures.ts';
import { askForDueRuns, refillQueue } from './refill-queue.ts';
import { enqueueClaimed, storeClaim } from '../watch/take-claim.ts';
import { quarantineOdd } from '../watch/quarantine-odd.ts';
import { checkExpected } from '../schedule/check-expected.ts';

/**
 * Repairs what a crash, a lost queue or a lost connection left behind. It works from the ledger and the folders, is
 * repeatable at any time, and sends nothing by itself.
 * @param options.atSite false in a process without folders
 * @param options.sends false in a process that sends nothing
 */
export async function sweep(app: App, { atStart = false, atSite = true, sends = true } = {}): Promise<void> {
  // Reports to a closed ledger; sending goes on once the other hosts have reported.
  if (sends) await askAgainWhenClosed(app);
  await recoverDeadWorkers(app);
  crashPoint('sweep.batches-recovered');
  await refreshFailing(app);
  await refillQueue(app, atStart);
  if (atSite) await askForDueRuns(app, atStart);
  // At start an expected file may lie in its folder unseen.
  if (!atStart) await checkExpected(app);
  crashPoint('sweep.queue-refilled');
  // Last, so that trouble with a folder or the disk holds up nothing that the ledger already knows.
  if (atSite) await adoptClaims(app);
  crashPoint('sweep.claims-adopted');
  if (!atStart) await mustBeUsable(app);
  app.health.noteSweep();
}

/** Throws when part of the ledger is closed: if that part holds alarms or failures, nothing else would show it. */
async function mustBeUsable(app: App): Promise<void> {
  const [closed] = await findClosed(app.ledger);
  if (closed) throw new PipelineError('LEDGER_UNREACHABLE', closed.action, closed.reason, { next: closed.next });
}

/** No output takes this long to write, in ms; an older one was left by a dead process. */
const STALE_MS = 3_600_000;

/**
 * Returns a time in ms longer than any call. It covers name lookup, connection, intent (at most the lease), answer, a
 * query for the missing service time, and a slow disk.
 */
export function longestCallMs(app: App): number {
  const accounts = [...app.settings.accounts.values()];
  const callMs = accounts.map((account) => 3 * account.connectTimeoutMs + account.leaseMs + account.answerTimeoutMs);
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

/** Sorts claims by time, because they enter the ledger in that order. */
function byTime(one: Claim, other: Claim): number {
  return one.notes.claimedAt < other.notes.claimedAt ? -1 : 1;
}

/** @returns adds the job that follows. It is not part of taking the drop: if it fails, the next sweep adds it. */
async function adoptClaim(app: App, claim: Claim): Promise<(() => Promise<void>) | undefined> {
  const { fileId } = claim;
  const state = await readFileState(app.ledger, fileId);
  if (state === 'claimed') return undefined;
  if (state !== undefined) return finishClaimed(app, fileId);
  return (await storeClaim(app, claim)) ? () => enqueueClaimed(app, [fileId]) : undefined;
}

/** Gives every claim in a work folder its row in the ledger, and removes the plain bytes of decided files. */
async function adoptClaims(app: App): Promise<void> {
  const folders = foldersHere(app.settings);
  for (const work of new Set(folders.map((folder) => folder.work))) {
    const found = await findClaims(work);
    for (const claim of found.claims.sort(byTime)) {
      try {
        const { folder: id, account, name } = claim.notes;
        const ask = await noting(app, takingOf({ id, account }, name), () => adoptClaim(app, claim));
        await ask?.();
      } catch (error) {
        app.log.error({ fileId: claim.fileId }, reasonOf(error));
      }
    }
    for (const dir of found.empty) await removeEmptyClaim(dir);
    for (const drop of found.strange) await quarantineOdd(app, drop, work);
  }
  // A drop folder may hold what a resubmission or the dashboard was writing when it was killed.
  for (const dir of [app.settings.paths.out, ...folders.map((folder) => folder.path)]) {
    await removeStaleTemporaries(dir, { olderThanMs: STALE_MS, clock: app.clock }).catch((error: unknown) =>
      app.log.error({ dir }, reasonOf(error)),
    );
  }
}
