import type { App } from '../../src/app.ts';
import type { FileCheck } from '../../src/csv/check/check-payment-file.ts';
import { counted } from '../../src/kernel/counted.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { describeFault, PipelineError } from '../../src/kernel/errors.ts';
import type { Folder } from '../../src/config/config.ts';
import { isFormerName, mustStillBeBound } from '../../src/ledger/merchant/bound-accounts.ts';
import { limitsOf, isApprovalDue } from '../../src/config/account-rules.ts';
import { queryInOne } from '../../src/ledger/engine/query-together.ts';
import { chooseVolume, noteVolume } from '../../src/ledger/duplicates/fingerprint-volumes.ts';
import { forgetReadings, mayOverlap } from '../../src/ledger/file/count-readings.ts';
import { copyFaults } from '../../src/ledger/row/copy-rows.ts';
import { decideFile, type FileDecision, type FileFindings } from '../../src/ledger/file/decide-file.ts';
import { destroyKeys } from '../../src/ledger/retention/retention.ts';
import { faultsOf } from '../../src/ledger/doubt/compare-forgotten.ts';
import { readForgotten } from '../../src/ledger/duplicates/find-forgotten-rows.ts';
import { findSameName, describeSentBefore } from '../../src/ledger/duplicates/find-duplicate.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import { dueFiles } from '../../src/ledger/batch/due-work.ts';
import { readFileRow } from '../../src/ledger/file/read-file.ts';
import type { FileRow, PlainFileRow } from '../../src/ledger/engine/records.ts';
import { refreshStatistics } from '../../src/ledger/engine/copy-in.ts';
import { transact, type Transaction, violates } from '../../src/ledger/engine/transaction.ts';
import { lockAndQuery } from '../../src/ledger/engine/with-lock.ts';
import { destroyForGood, wasDestroyed } from '../../src/crypto/archive.ts';
import { type Arrival, checkArrival, findRefusal, isDisturbed, wasChanged } from './check-arrival.ts';
import { decideIntake } from './decide-intake.ts';
import { findDuplicate, type Refusal } from './find-duplicate.ts';
import { poisonGuard } from './poison-guard.ts';
import { askServiceTime, chargedSince, findEarlierPayments, weighClocks } from './find-earlier-payments.ts';
import { orderReading, storeRows, THREAD_BYTES } from './store-rows.ts';
import { fileProfile, findProfileFaults, findRetirement } from '../file-profile.ts';
import { endClaim } from '../watch/late-bytes.ts';
import { folderOf, originalPath } from '../open-original.ts';
import { openSource } from './open-source.ts';
import { ringAfter } from '../ring.ts';
import { eachAlone, type Stage } from '../stage.ts';
import { findForgottenInFile } from '../find-forgotten-rows.ts';

/** Bytes of the files of a group; a larger file is a group of its own. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Takes in claimed files. Small ones are read a few at a time, because most of the time goes to waiting for the database. */
export const INTAKE: Stage<{ fileId: string; done?: PlainFileRow }> = {
  name: 'intake',
  most: { things: 10, weight: MOST_BYTES },
  findDue: (app) => dueFiles(app.ledger, 'intake', app.settings.site),
  thingOf: (fileId) => ({ fileId }),
  itemOf: ({ fileId }) => ({ work: 'intake', subject: fileId, fileId }),
  work: eachAlone(
    async (app, file, { turn }) => {
      file.done = await intakeAlone(app, file.fileId, turn);
    },
    async (app, files) => {
      const ids = files.map(({ fileId }) => fileId);
      return files.length > 1 && (await mayOverlap(app.ledger, ids, THREAD_BYTES)) ? SMALL_AT_ONCE : 1;
    },
  ),
  tell: (app, files) =>
    tellOfIntake(
      app,
      files.flatMap(({ done }) => done ?? []),
    ),
};

/** How many small files are read at a time. */
const SMALL_AT_ONCE = 3;

/**
 * Checks every row of a claimed file, cuts the valid ones into sealed batches, and accepts, holds or refuses the file.
 * Rows, batches, verdict and audit are one transaction, so after a crash all is there or starts again.
 */
export async function intakeFile(app: App, { fileId }: { fileId: string }): Promise<void> {
  await tellOfIntake(app, [await intakeAlone(app, fileId)]);
}

/**
 * Does the same without telling of it.
 * @param before is awaited before the file is compared with others and decided
 * @returns the file as it is now
 */
async function intakeAlone(app: App, fileId: string, before?: Promise<void>): Promise<PlainFileRow> {
  const ask = (ledger: Ledger) => readFileRow(ledger, fileId);
  return lockAndQuery(app.ledger, `file:${fileId}`, ask, async (file) => {
    app.telemetry.note({ account: file.account });
    crashPoint('intake.begun');
    return file.state === 'claimed' ? finish(app, await decideClaimed(app, file, before)) : finishDecided(app, fileId);
  });
}

/** Rings for what follows the intake of these files of one site: for their batches, then for their notices. */
async function tellOfIntake(app: App, files: readonly PlainFileRow[]): Promise<void> {
  if (files.length === 0) return;
  if (files.some((file) => file.state === 'accepted')) await ringAfter(app, 'submit');
  crashPoint('intake.account-woken');
  await ringAfter(app, 'deliver', files[0]!.site);
}

function decideClaimed(app: App, file: FileRow, before?: Promise<void>): Promise<PlainFileRow> {
  // It cannot be read: nothing says any more by which rules, and no process may send it.
  if (isFormerName(file.account)) return holdUnread(app, file, { code: 'OTHER_MERCHANT' }, before);
  return poisonGuard(app, file.file_id, {
    read: () => checkAndStore(app, file, before).catch((error: unknown) => refuseDestroyed(app, file, error)),
    giveUp: () => holdUnread(app, file, { code: 'POISON_FILE', detail: counted(file.bytes, 'byte') }, before),
  });
}

/** @returns the file as decided */
async function checkAndStore(app: App, file: FileRow, before?: Promise<void>): Promise<PlainFileRow> {
  const folder = folderOf(app, file.folder, file.file_id);
  const changed = await wasChanged(folder, file);
  const arrival = await checkArrival(app, file, folder);
  const decide = () =>
    transact(app.ledger, (tx) => readIntoLedger(app, tx, { file, folder, changed, arrival, before }));
  const decided = await decideAgain(decide);
  const { state, reason_code: code } = decided;
  app.log.info({ fileId: file.file_id, verdict: VERDICTS[state], ...(code !== null && { code }) }, 'file checked');
  return decided;
}

/** Decides a second time when another intake has just accepted the same bytes; now they are a duplicate. */
function decideAgain(decide: () => Promise<PlainFileRow>): Promise<PlainFileRow> {
  return decide().catch((error: unknown) => {
    if (ONE_CONTENT.some((rule) => violates(error, rule))) return decide();
    throw error;
  });
}

/** Names in the log for the states in which intake leaves a file. */
const VERDICTS: Partial<Record<FileRow['state'], FileDecision['verdict']>> = {
  accepted: 'accept',
  held: 'hold',
  rejected: 'reject',
};

const ONE_CONTENT = ['one_content_per_merchant', 'one_inside_per_merchant'];

type Subject = {
  file: FileRow;
  folder: Folder;
  changed: boolean;
  arrival: Arrival;
  before: Promise<void> | undefined;
};

async function readIntoLedger(app: App, tx: Transaction, subject: Subject): Promise<PlainFileRow> {
  const { file, folder, changed, arrival } = subject;
  const [, refusal, chosen] = await queryInOne(tx, (asked) => [
    mustStillBeBound(asked, app.ledger, file.account),
    findRefusal(asked, subject),
    chooseVolume(asked, file),
  ]);
  if (refusal) return refuseUnread(tx, file, refusal);
  const { volume } = chosen;
  const { now, agedFrom } = await weighClocks(tx.at, chosen, () => askServiceTime(app, file.account));
  const { message, contentKey = null } = arrival.is === 'message' ? arrival : {};
  const version = await fileProfile(tx.client, file);
  const { profile } = version ?? {};
  const order = orderReading(app, tx, { ...file, content_key: contentKey }, { folder, volume, profile });
  const { check, rowSet, like, store } = await storeRows(app, tx, order, message?.bytes ?? file.bytes);
  if (message && message.sha256 !== check.sha256) throw new PipelineError('SEAL_BROKEN', `read file "${file.file_id}"`);
  const writtenBy = check.profile?.writtenBy;
  const reread = { open: () => openSource(order.source), context: order.rules, writtenBy };
  const profileFaults = version && [
    ...(await findRetirement(tx, version)),
    ...(await findProfileFaults(tx.client, version, file, reread)),
  ];
  // Nothing of a refused file is sent, so it is not compared with earlier files.
  const isRefused = check.verdict === 'reject';
  await subject.before;
  const [history, sameName, sentBefore] = await queryInOne(tx, (asked) => [
    isRefused ? undefined : findEarlierPayments(app, asked, { file, folder, check, rowSet, like, store, volume, now }),
    findSameName(asked, file),
    describeSentBefore(asked, file.file_id, rowSet),
  ]);
  // Behind the lock on decisions, which also orders it with other files.
  const forgotten = await readForgotten(tx.client, file.account);
  const found =
    !isRefused && forgotten.hasRows ? await findForgottenInFile(app, { ...file, layout: check.layout }, tx) : [];
  const account = app.account(file.account);
  const { decision, faults } = decideIntake(check, {
    effects: { ...folder, misfits: profile?.check.misfits },
    profileFaults,
    control: file.control,
    claimedSha256: file.sha256,
    // Again, as late as possible: reading the file takes time, in which its sender may have gone on writing.
    changed: changed || (await isDisturbed(folder, file)),
    meantFor: file.meant_for,
    sameName: sameName?.file_id,
    sentBefore,
    forgotten: isRefused ? [] : faultsOf({ ...forgotten, found }),
    maxBytes: folder.maxBytes,
    limits: limitsOf(account, folder),
    approvalDue: isApprovalDue(account, file.operation),
    history,
  });
  await store.addFaults([...check.faults, ...faults]);
  const findings = { ...findingsOf(check), rowSet, ...(message && { message }) };
  // In a folder that compares with no earlier file, only what comes later can repeat its rows.
  const comparedFrom = chargedSince(folder, now) ?? agedFrom;
  const [, decided] = await queryInOne(tx, (asked) => [
    noteVolume(asked, file, { volume, rows: check.valid.rows, agedFrom }),
    decideFile(asked, file.file_id, findings, decision, {
      contentKey,
      agedFrom,
      comparedFrom,
      comparedTo: forgotten.newest,
    }),
  ]);
  if (decision.verdict !== 'accept' && decision.code === 'SECURITY_CODE') await forgetKey(tx, file.file_id);
  return decided;
}

/**
 * Holds a file without reading it: reading it has killed the process too often (poison-guard.ts), or its account came to
 * mean another merchant, country or currency after it was taken.
 */
async function holdUnread(app: App, file: FileRow, refusal: Refusal, before?: Promise<void>): Promise<PlainFileRow> {
  await before;
  const decide = () =>
    transact(app.ledger, async (tx) => {
      const duplicate = await findDuplicate(tx, file);
      return duplicate ? refuseUnread(tx, file, duplicate) : refuseUnread(tx, file, refusal, 'hold');
    });
  return decideAgain(decide);
}

/** Refuses a file that was destroyed for its security codes before the ledger went back to a state that still waits. */
async function refuseDestroyed(app: App, file: FileRow, error: unknown): Promise<PlainFileRow> {
  if (!wasDestroyed(originalPath(app, file))) throw error;
  const refusal: Refusal = { code: 'SECURITY_CODE', detail: 'found when the file was read before' };
  return transact(app.ledger, async (tx) => {
    const refused = await refuseUnread(tx, file, refusal);
    await forgetKey(tx, file.file_id);
    return refused;
  });
}

/** Decides an unread file. Its one fault goes into the list of the notice too, because programs read only that. */
async function refuseUnread(
  tx: Transaction,
  file: FileRow,
  refusal: Refusal,
  verdict: 'reject' | 'hold' = 'reject',
): Promise<PlainFileRow> {
  const { detail, ...rest } = refusal;
  const decision: FileDecision = { verdict, reason: describeFault(refusal), ...rest };
  await copyFaults(tx, file.file_no, 1, [{ code: refusal.code, line: 0, ...(detail && { detail }) }]);
  return decideFile(tx, file.file_id, NOTHING_READ, decision);
}

/**
 * Removes the plain bytes, which are not needed after the commit. They go last: while they exist, the sweep finds the
 * claim and repeats this.
 */
export async function finishClaimed(app: App, fileId: string): Promise<void> {
  await finishDecided(app, fileId);
}

async function finishDecided(app: App, fileId: string): Promise<PlainFileRow> {
  // Before the claim goes: after a crash only the claim leads back here, and the count would stay for good.
  await forgetReadings(app.ledger.pool, fileId);
  return finish(app, await readFileRow(app.ledger, fileId));
}

async function finish(app: App, file: PlainFileRow): Promise<PlainFileRow> {
  await refreshStatistics(app.ledger, file.records ?? 0);
  const folder = app.folder(file.folder);
  if (file.reason_code === 'SECURITY_CODE') await destroyForGood(originalPath(app, file));
  if (folder) await endClaim(app, folder, file);
  crashPoint('intake.plain-released');
  return file;
}

/** Destroys the key: security codes may not be kept, not even sealed. The row fingerprints follow (shred.ts). */
async function forgetKey(tx: Transaction, fileId: string): Promise<void> {
  await destroyKeys(tx, fileId);
  tx.audit({
    actor: 'worker:intake',
    fileId,
    move: 'shred',
    reason: 'the file seems to contain security codes; its key was destroyed',
  });
}

function findingsOf(check: FileCheck): FileFindings {
  return {
    layout: check.layout,
    headerLine: check.headerLine,
    physicalLines: check.physicalLines,
    blankLines: check.blankLines,
    records: check.records,
    validRows: check.valid.rows,
    validCents: check.valid.cents,
    invalidRows: check.invalid.rows,
    profile: check.profile && { lines: check.profile.lines, skipped: check.profile.skipped },
  };
}

const NOTHING_READ: FileFindings = {
  layout: null,
  headerLine: null,
  physicalLines: 0,
  blankLines: 0,
  records: 0,
  validRows: 0,
  validCents: 0,
  invalidRows: 0,
};
