import type { App } from '../../src/app.ts';
import type { Claim } from '../../src/files/claims/finish-claim.ts';
import { findClaims } from '../../src/files/claims/find-claims.ts';
import { removeEmptyClaim } from '../../src/files/claims/release-claim.ts';
import { removeStaleTemporaries } from '../../src/files/outputs/remove-stale-temporaries.ts';
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
import { askForClaimed, storeClaim } from '../watch/take-claim.ts';
import { setAside } from '../watch/set-aside.ts';
import { checkExpected } from '../schedule/check-expected.ts';

/**
 * Makes whole what a crash, a lost queue or a lost connection left behind. Everything here is read from the ledger and
 * the folders, may be repeated at any time, and sends nothing by itself.
 * @param options.atSite false in a process that has no folders
 * @param options.sends false in one that sends nothing
 */
export async function sweep(app: App, { atStart = false, atSite = true, sends = true } = {}): Promise<void> {
  // Where the ledger was closed, this host reports; where others were waited for, it goes on.
  if (sends) await askAgainWhenClosed(app);
  await recoverDeadWorkers(app);
  crashPoint('sweep.batches-recovered');
  await refreshFailing(app);
  await refillQueue(app, atStart);
  if (atSite) await askForDueRuns(app, atStart);
  // At the start a file that is expected may lie in its folder, and nobody has looked yet.
  if (!atStart) await checkExpected(app);
  crashPoint('sweep.queue-refilled');
  // Last, so that trouble with a folder or the disk holds up nothing that the ledger knows already.
  if (atSite) await adoptClaims(app);
  crashPoint('sweep.claims-adopted');
  if (!atStart) await mustBeUsable(app);
  app.pulse.noteSweep();
}

/** Where the part that is closed is that of the alarms or of failures, nothing else would tell of it. */
async function mustBeUsable(app: App): Promise<void> {
  const [closed] = await findClosed(app.ledger);
  if (closed) throw new PipelineError('LEDGER_UNREACHABLE', closed.action, closed.reason, { next: closed.next });
}

/** No output takes this long to write; what is older was left by a process that died. */
const STALE_MS = 3_600_000;

/**
 * Longer than any call: name look-up, connection, intent (as old as the lease at most), answer, the time of the service
 * after a call without one, room for a slow disk.
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

/** Several are claimed at a time, and come into the ledger in their order. */
function byTime(one: Claim, other: Claim): number {
  return one.notes.claimedAt < other.notes.claimedAt ? -1 : 1;
}

/** @returns asks for what follows. That is no part of taking the drop: if it fails, the next sweep asks. */
async function adoptClaim(app: App, claim: Claim): Promise<(() => Promise<void>) | undefined> {
  const { fileId } = claim;
  const state = await readFileState(app.ledger, fileId);
  if (state === 'claimed') return undefined;
  if (state !== undefined) return finishClaimed(app, fileId);
  return (await storeClaim(app, claim)) ? () => askForClaimed(app, [fileId]) : undefined;
}

/** Every claim in a work folder has a row in the ledger, and one that is decided has no plain bytes left. */
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
    for (const drop of found.strange) await setAside(app, drop, work);
  }
  // In a drop folder lies what a resubmission or the desk was writing when it was killed.
  for (const dir of [app.settings.paths.out, ...folders.map((folder) => folder.path)]) {
    await removeStaleTemporaries(dir, { olderThanMs: STALE_MS, clock: app.clock }).catch((error: unknown) =>
      app.log.error({ dir }, reasonOf(error)),
    );
  }
}
