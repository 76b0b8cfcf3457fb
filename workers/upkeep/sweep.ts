import type { App } from '../../src/app.ts';
import type { Claim } from '../../src/files/claims/finish-claim.ts';
import { findMeant, findRenamed } from '../../src/ledger/merchant/read-merchants.ts';
import { signerOf } from '../../src/crypto/key-ring.ts';
import { findClaims } from '../../src/files/claims/find-claims.ts';
import { removeEmptyClaim } from '../../src/files/claims/release-claim.ts';
import { removeStaleTemporaries } from '../../src/files/outputs/output-draft.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { claimFoldersHere } from '../../src/config/config.ts';
import { PipelineError, reasonOf } from '../../src/kernel/errors.ts';
import { recoverBatches } from '../../src/ledger/batch/recover-batches.ts';
import { findClosed } from '../../src/ledger/alarm/find-closed.ts';
import { renewFolderMark } from '../../src/ledger/admission/folder-mark.ts';
import { readFileState } from '../../src/ledger/file/read-file.ts';
import { readCurrentKeyId } from '../../src/ledger/key/master-keys.ts';
import { signRoot } from '../../src/ledger/overview/verify-audit.ts';
import { bindAnswered } from '../bind-here.ts';
import { askAgainWhenClosed } from '../admit-here.ts';
import { bringFormerClaims } from './former-work.ts';
import { finishClaimed } from '../intake/intake.ts';
import { compareForgotten } from './compare-forgotten.ts';
import { noting, refreshFailing, takingOf } from '../note-failures.ts';
import { lookAtAllRetired } from '../watch/late-bytes.ts';
import { chooseMasterKey, quarantineOdd, storeClaims } from '../watch/take-claim.ts';
import { checkExpected } from '../schedule/check-expected.ts';
import { keyOf } from '../../src/ledger/engine/move.ts';
import { giveBackOfDead } from '../../src/ledger/stage/taken.ts';

/**
 * Repairs what a crash, a lost queue or a lost connection left behind. It works from the ledger and the folders, is
 * repeatable at any time, and sends nothing by itself. After it the stages look for what is due.
 * @param options.atSite false in a process without folders
 * @param options.sends false in a process that sends nothing
 */
export async function sweep(app: App, { atStart = false, atSite = true, sends = true } = {}): Promise<void> {
  // First: whatever else fails, what dead processes had is free.
  await giveBackOfDead(app.ledger);
  await bindAnswered(app);
  // Reports to a closed ledger; sending goes on once the other hosts have reported.
  if (sends) await askAgainWhenClosed(app);
  await recoverDeadWorkers(app);
  crashPoint('sweep.batches-recovered');
  await refreshFailing(app);
  await compareForgotten(app);
  // At start an expected file may lie in its folder unseen.
  if (!atStart) await checkExpected(app);
  // Last, so that trouble with a folder or the disk holds up nothing that the ledger already knows.
  if (atSite) await adoptClaims(app);
  crashPoint('sweep.claims-adopted');
  if (!atStart) await mustBeUsable(app);
  if (sends) await renewFolderMark(app.settings.paths.journal, app.clock);
  // A root that cannot be signed holds up no work; the sweep then counts as failed.
  if (!atStart) await signTonight(app);
  // While the queue is away, the stages look after each sweep.
  await app.queue.heal();
  app.health.noteSweep();
}

/** Signs the ends of the audit chains, once a UTC day for all processes. */
async function signTonight(app: App): Promise<void> {
  const key = chooseMasterKey(app, await readCurrentKeyId(app.ledger));
  await signRoot(app.ledger, signerOf(key), { onlyNightly: true });
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
  for (const batch of await recoverBatches(app.ledger, longestCallMs(app)))
    app.log.error(
      { ...keyOf(batch), account: batch.account },
      'batch in doubt: its worker died or fell silent during the call; account stopped',
    );
}

function byTime(one: Claim, other: Claim): number {
  return one.notes.claimedAt < other.notes.claimedAt ? -1 : 1;
}

async function adoptClaim(app: App, claim: Claim): Promise<void> {
  const { fileId } = claim;
  const state = await readFileState(app.ledger, fileId);
  if (state === 'claimed') return;
  if (state !== undefined) return finishClaimed(app, fileId);
  const named = await underPresentName(app, claim);
  const stored = (await storeClaims(app, [named])).get(named);
  if (typeof stored === 'object') throw stored.error;
}

/**
 * The account may have been renamed between the claim and its row in the ledger, or mean another merchant by now. The file
 * goes to the account that means what was noted. If none does, it goes to the one that has its name, took its name over, or
 * has its folder by now, and is held (file.meant_for).
 */
async function underPresentName(app: App, claim: Claim): Promise<Claim> {
  const { accounts } = app.settings;
  const { account: noted, folder, merchant } = claim.notes;
  const meant = merchant === undefined ? undefined : await findMeant(app.ledger, { account: noted, merchant });
  if (meant !== undefined) return { ...claim, account: meant };
  const heir = accounts.has(noted) ? noted : await findRenamed(app.ledger, noted, [...accounts.keys()]);
  const account = heir ?? app.folder(folder)?.account;
  return account === undefined ? claim : { ...claim, account };
}

/** Gives every claim in a work folder its row in the ledger, and removes the plain bytes of decided files. */
async function adoptClaims(app: App): Promise<void> {
  await bringFormerClaims(app);
  const folders = claimFoldersHere(app.settings);
  for (const work of new Set(folders.map((folder) => folder.work))) {
    const found = await findClaims(work);
    for (const claim of found.claims.sort(byTime)) {
      try {
        const { folder: id, account, name } = claim.notes;
        await noting(app, takingOf({ id, account }, name), () => adoptClaim(app, claim));
      } catch (error) {
        app.log.error({ fileId: claim.fileId }, reasonOf(error));
      }
    }
    for (const dir of found.empty) await removeEmptyClaim(dir);
    for (const drop of found.strange) await quarantineOdd(app, drop, work);
  }
  await lookAtAllRetired(app);
  // A drop folder may hold what a resubmission or the dashboard was writing when it was killed.
  for (const dir of [app.settings.paths.out, ...folders.map((folder) => folder.path)]) {
    await removeStaleTemporaries(dir, { olderThanMs: STALE_MS, clock: app.clock }).catch((error: unknown) =>
      app.log.error({ dir }, reasonOf(error)),
    );
  }
}
