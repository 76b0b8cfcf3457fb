import type { App } from '../../src/app.ts';
import type { FileCheck } from '../../src/csv/check/check-payment-file.ts';
import { effectRules } from '../../src/csv/check/fault-effect.ts';
import { describeFault, PipelineError } from '../../src/kernel/errors.ts';
import { isApprovalDue, limitsOf } from '../../src/config/account-rules.ts';
import { stillBound } from '../../src/ledger/merchant/bound-accounts.ts';
import { ask } from '../../src/ledger/engine/ask.ts';
import type { FileRow, PlainFileRow } from '../../src/ledger/engine/records.ts';
import { transact, type Transaction, violates } from '../../src/ledger/engine/transaction.ts';
import { writeFault } from '../../src/ledger/copy/row-tuples.ts';
import { TupleWriter } from '../../src/ledger/copy/tuple-writer.ts';
import { faultsOf } from '../../src/ledger/doubt/compare-forgotten.ts';
import {
  describeSentBefore,
  findLinesAsInvoices,
  findSameName,
  hasSwappedColumns,
  lockDecisions,
} from '../../src/ledger/duplicates/find-duplicate.ts';
import { type Forgotten, forgottenOf } from '../../src/ledger/duplicates/find-forgotten-rows.ts';
import { type ChosenVolume, chooseVolumes, noteVolumes } from '../../src/ledger/duplicates/fingerprint-volumes.ts';
import {
  findTwins,
  flagChargedRows,
  type FlaggedRows,
  isReadForTwins,
} from '../../src/ledger/duplicates/flag-charged-rows.ts';
import {
  type DecidedFile,
  decideFiles,
  type FileDecision,
  type FileFindings,
  NOTHING_READ,
} from '../../src/ledger/file/decide-file.ts';
import { destroyKeys } from '../../src/ledger/retention/retention.ts';
import { copyTuples } from '../../src/ledger/row/copy-rows.ts';
import type { EffectRules, Fault } from '../../src/rows/rows.ts';
import { type FileProfile, fileProfile, findProfileFaults, findRetirement } from '../file-profile.ts';
import { findForgottenInFile } from '../find-forgotten-rows.ts';
import { findRefusal, isDisturbed } from './check-arrival.ts';
import { decideIntake } from './decide-intake.ts';
import { findDuplicates, type Refusal } from './find-duplicate.ts';
import {
  type AcceptedBefore,
  askServiceTime,
  chargedSince,
  hasCodes,
  judgeByOthers,
  mayBeSwapped,
  type Others,
  othersOf,
  questionsAboutOthers,
  swappedFaults,
  weighClocks,
} from './find-earlier-payments.ts';
import { type Arrived, contentOf, isReadable, type Unreadable } from './arrived.ts';
import { type Known, openKnown } from './known-files.ts';
import type { Fingerprints } from './known-payments.ts';
import type { Reading } from './read-content.ts';
import { openSource } from './open-source.ts';
import { openRowStore, orderReading, type RowStore, THREAD_BYTES } from './store-rows.ts';

/** One whose rows are read. */
type ReadFile = Arrived & {
  readonly reading: Reading;
  readonly rowSet: string | null;
  readonly check: FileCheck;
  readonly volume: number;
  /** The earliest and the latest of the clocks. */
  readonly now: Date;
  readonly agedFrom: Date;
  readonly version: FileProfile | undefined;
  readonly profileFaults: readonly Fault[] | undefined;
};

/**
 * Reads files, one or many, and accepts, holds or refuses each, in the order of their claims. Rows, batches, verdicts and
 * audit of a file are in one transaction, so after a crash all is there or starts again.
 * @param trace does what concerns one file
 * @returns the files as decided
 */
export async function takeIn(
  app: App,
  files: readonly (Arrived | Unreadable)[],
  trace: <Result>(file: FileRow, work: () => Promise<Result>) => Promise<Result>,
): Promise<PlainFileRow[]> {
  const decided: PlainFileRow[] = [];
  while (decided.length < files.length) {
    const rest = files.slice(decided.length);
    const next = await decideAgain(() => transact(app.ledger, (tx) => decideNext(app, tx, rest, trace)));
    decided.push(...next);
  }
  return decided;
}

/** Decides a second time when another intake has just accepted the same bytes; now they are a duplicate. */
function decideAgain<Result>(decide: () => Promise<Result>): Promise<Result> {
  return decide().catch((error: unknown) => {
    if (ONE_CONTENT.some((rule) => violates(error, rule))) return decide();
    throw error;
  });
}

const ONE_CONTENT = ['one_content_per_merchant', 'one_inside_per_merchant'];

/**
 * Decides the first of these files, and those after it up to one that what becomes of another may concern: it has the same
 * bytes or rows, or may be a part of it. That one has its turn in the next transaction, which finds the others decided.
 */
async function decideNext(
  app: App,
  tx: Transaction,
  files: readonly (Arrived | Unreadable)[],
  trace: Parameters<typeof takeIn>[2],
): Promise<PlainFileRow[]> {
  const [, duplicates, volumes] = await ask(
    tx.client,
    stillBound(app.ledger, [...new Set(files.filter(isReadable).map(({ file }) => file.account))]),
    findDuplicates(files.map((one) => ({ file: one.file, inside: contentOf(one) }))),
    chooseVolumes(
      tx.databaseNow,
      files.map(({ file }) => file),
    ),
  );
  const store = openRowStore(app, tx);
  const read: ReadFile[] = [];
  const unread: Unreadable[] = [];
  const known = files.length > 1 ? openKnown() : undefined;
  /** By merchant: since when the last file of this transaction is known. */
  const lastFrom = new Map<number, Date>();
  for (const [place, one] of files.entries()) {
    if (known?.hasContent(one) || (place > 0 && isLarge(one))) break;
    known?.addContent(one);
    const refused = findRefused(one, duplicates[place]);
    if (refused) unread.push(refused);
    else if (isReadable(one)) {
      const { merchant_no: merchantNo } = one.file;
      const { lastFrom: before, ...volume } = volumes[place]!;
      const chosen = { ...volume, lastFrom: lastFrom.get(merchantNo) ?? before };
      const found = await trace(one.file, () => readRows(app, tx, one, { store, known, chosen }));
      if (!found) break;
      read.push(found);
      lastFrom.set(merchantNo, found.agedFrom);
      if (isLarge(one)) break;
    }
  }
  await store.end();
  const faults = new TupleWriter();
  const all = [...(await judge(app, tx, read, faults)), ...refuse(unread, faults)];
  await copyTuples(tx, 'faults', faults.take());
  const added = read.map((one) => ({ ...one, rows: one.check.valid.rows }));
  await noteVolumes(tx, added);
  const decided = await decideFiles(tx, all);
  for (const { fileId, decision } of all)
    if (decision.verdict !== 'accept' && decision.code === 'SECURITY_CODE') await forgetKey(tx, fileId);
  return decided.toSorted((one, other) => one.file_no - other.file_no);
}

/** A message is small while it is sealed, and what is inside it may be large; it is read by itself. */
function isLarge(one: Arrived | Unreadable): boolean {
  return isReadable(one) && one.arrival.is === 'message' && one.arrival.message.bytes >= THREAD_BYTES;
}

/** @param duplicate why its bytes are refused, if they came before */
function findRefused(one: Arrived | Unreadable, duplicate: Refusal | undefined): Unreadable | undefined {
  const { file } = one;
  if (!isReadable(one))
    return one.verdict === 'hold' && duplicate ? { file, refusal: duplicate, verdict: 'reject' } : one;
  const refusal = findRefusal(one, duplicate);
  return refusal && { file, refusal, verdict: 'reject' };
}

/** @returns undefined when the file has its turn in the next transaction */
async function readRows(
  app: App,
  tx: Transaction,
  one: Arrived,
  { store, known, chosen }: { store: RowStore; known: Known | undefined; chosen: ChosenVolume },
): Promise<ReadFile | undefined> {
  const { file, folder, arrival } = one;
  const clocks = await weighClocks(tx.at, chosen, () => askServiceTime(app, file.account));
  const { message, contentKey = null } = arrival.is === 'message' ? arrival : {};
  const version = await fileProfile(tx.client, file);
  const { volume } = chosen;
  const order = orderReading(
    app,
    tx,
    { ...file, content_key: contentKey },
    { folder, volume, profile: version?.profile },
  );
  const own: Fingerprints = { firsts: [], seconds: [] };
  const waits = known?.isEmpty() === false;
  const reading = await store.read(
    order,
    message?.bytes ?? file.bytes,
    waits,
    known &&
      ((first, second) => {
        own.firsts.push(first);
        own.seconds.push(second);
      }),
  );
  const { check, rowSet } = reading;
  if (message && message.sha256 !== check.sha256) throw new PipelineError('SEAL_BROKEN', `read file "${file.file_id}"`);
  if (waits && known?.hasRows(file, reading, own)) {
    store.leaveOut();
    return undefined;
  }
  await store.keep();
  known?.addRows(file, reading, own);
  const reread = { open: () => openSource(order.source), context: order.rules, writtenBy: check.profile?.writtenBy };
  const profileFaults = version && [
    ...(await findRetirement(tx, version)),
    ...(await findProfileFaults(tx.client, version, file, reread)),
  ];
  return { ...one, ...clocks, reading, check, rowSet, volume, version, profileFaults };
}

/** What is known of a file that was read, to judge it by. */
type Facts = {
  others: Others | undefined;
  sameName: string | undefined;
  sentBefore: string | undefined;
  forgotten: Forgotten;
  hasTwins: boolean;
  linesOf: readonly string[];
  isSwapped: boolean;
};

/**
 * Compares files whose rows are written with the other files of their merchants, and judges each. No other file of these
 * merchants is decided until the transaction ends.
 * @param faults receives what is wrong with them
 */
async function judge(
  app: App,
  tx: Transaction,
  read: readonly ReadFile[],
  faults: TupleWriter,
): Promise<DecidedFile[]> {
  if (read.length === 0) return [];
  const facts = await readFacts(app, tx, read);
  const accepted: AcceptedBefore[] = [];
  const decided: DecidedFile[] = [];
  for (const [place, one] of read.entries()) {
    const found = facts[place]!;
    const { file, check, reading } = one;
    let seq = reading.faults + 1;
    const flagged = await flagRows(tx, one, found, seq);
    for (const { rows } of flagged) seq += rows;
    const isTaken = (fileId: string) =>
      decided.every((other) => other.fileId !== fileId || other.decision.verdict === 'accept');
    const history = found.others && {
      ...judgeByOthers(
        app,
        one,
        found.others,
        accepted.filter((other) => other.file.merchant_no === file.merchant_no),
      ),
      charged: [...flagged, ...reading.like],
    };
    const swapped = history ? swappedFaults(found.linesOf.find(isTaken), found.isSwapped) : [];
    const { decision, faults: own } = await decide(app, tx, one, {
      ...found,
      history: history && { ...history, faults: [...history.faults, ...swapped] },
    });
    for (const fault of [...check.faults, ...own]) writeFault(faults, file.file_no, seq++, fault);
    if (decision.verdict === 'accept') accepted.push({ file, size: check.valid });
    decided.push(decidedOf(one, decision, found.forgotten));
  }
  return decided;
}

/** Asks all that the ledger knows beside the files. Nothing of a refused file is sent, so it is not compared with others. */
async function readFacts(app: App, tx: Transaction, read: readonly ReadFile[]): Promise<Facts[]> {
  const compared = read.filter(isCompared);
  const accounts = [...new Set(read.map(({ file }) => file.account))];
  const headless = compared.filter(mayBeSwapped);
  const withCodes = headless.filter(hasCodes);
  const fileOf = ({ file }: ReadFile) => file;
  await lockDecisions(tx, ...new Set(compared.map(({ file }) => file.account)));
  // Behind the lock on decisions, so that what others decided meanwhile counts.
  const [sameNames, sentBefore, twins, linesOf, swapped, ...rest] = await ask(
    tx.client,
    findSameName(read.map(fileOf)),
    describeSentBefore(read),
    findTwins(
      compared.flatMap(({ file, folder, check, volume, now }) => {
        const since = chargedSince(folder, now);
        return since && !isReadForTwins(check.valid.rows) ? [{ file, since, volume }] : [];
      }),
    ),
    findLinesAsInvoices(
      headless.map(fileOf),
      read.map(({ file }) => file.file_no),
    ),
    hasSwappedColumns(withCodes.map(fileOf)),
    ...questionsAboutOthers(app, compared),
    ...accounts.map((account) => forgottenOf(account)),
  );
  const [rowsOf, totalsOf, dayCents, sizes, ...forgotten] = rest;
  const others = othersOf(compared, [rowsOf, totalsOf, dayCents, sizes]);
  return read.map((one, place) => ({
    others: others[compared.indexOf(one)],
    sameName: sameNames[place]?.file_id,
    sentBefore: sentBefore[place],
    forgotten: forgotten[accounts.indexOf(one.file.account)]!,
    hasTwins: twins.has(one.file.file_no) || isReadForTwins(one.check.valid.rows),
    linesOf: linesOf[headless.indexOf(one)] ?? [],
    isSwapped: swapped[withCodes.indexOf(one)] ?? false,
  }));
}

function isCompared({ check }: ReadFile): boolean {
  return check.verdict !== 'reject';
}

async function flagRows(
  tx: Transaction,
  { file, folder, check, volume, now }: ReadFile,
  { others, hasTwins }: Facts,
  firstSeq: number,
): Promise<FlaggedRows[]> {
  const since = chargedSince(folder, now);
  if (!others || !since || !hasTwins) return [];
  return flagChargedRows(tx, file, { since, volume, firstSeq, rows: check.valid.rows });
}

async function decide(
  app: App,
  tx: Transaction,
  { file, folder, check, changed, version, profileFaults }: ReadFile,
  {
    history,
    sameName,
    sentBefore,
    forgotten,
  }: Omit<Facts, 'others'> & { history: Parameters<typeof decideIntake>[1]['history'] },
) {
  const account = app.account(file.account);
  const found =
    history && forgotten.hasRows ? await findForgottenInFile(app, { ...file, layout: check.layout }, tx) : [];
  return decideIntake(check, {
    effects: rulesOf({ folder, version }),
    profileFaults,
    control: file.control,
    claimedSha256: file.sha256,
    // Again, as late as possible: reading the file takes time, in which its sender may have gone on writing.
    changed: changed || (await isDisturbed(folder, file)),
    meantFor: file.meant_for,
    sameName,
    sentBefore,
    forgotten: history ? faultsOf({ ...forgotten, found }) : [],
    maxBytes: folder.maxBytes,
    limits: limitsOf(account, folder),
    approvalDue: isApprovalDue(account, file.operation),
    history,
  });
}

/** Returns what the settings make of some faults of a file. */
function rulesOf({ folder, version }: Pick<ReadFile, 'folder' | 'version'>): EffectRules {
  return effectRules(folder, version?.profile.check.misfits);
}

function decidedOf(one: ReadFile, decision: FileDecision, forgotten: Forgotten): DecidedFile {
  const { file, folder, check, rowSet, arrival, agedFrom, now } = one;
  const { message, contentKey } = arrival.is === 'message' ? arrival : {};
  return {
    fileId: file.file_id,
    findings: { ...findingsOf(check), rowSet, ...(message && { message }) },
    decision,
    contentKey,
    agedFrom,
    // In a folder that compares with no earlier file, only what comes later can repeat its rows.
    comparedFrom: chargedSince(folder, now) ?? agedFrom,
    comparedTo: forgotten.newest,
    faultRules: rulesOf(one),
  };
}

/** Refuses or holds unread files. Their one fault goes into the list of the notice too, because programs read only that. */
function refuse(unread: readonly Unreadable[], faults: TupleWriter): DecidedFile[] {
  for (const { file, refusal } of unread) {
    const { code, detail } = refusal;
    writeFault(faults, file.file_no, 1, { code, line: 0, ...(detail && { detail }) });
  }
  return unread.map(({ file, refusal: { detail, ...rest }, verdict }) => {
    const reason = describeFault({ ...rest, ...(detail && { detail }) });
    return { fileId: file.file_id, findings: NOTHING_READ, decision: { verdict, reason, ...rest } };
  });
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
