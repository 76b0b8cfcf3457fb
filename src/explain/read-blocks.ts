import { saidCode } from '../../schemas/errors.ts';
import { type BatchState, type FileState, type Outcome, OUTCOMES } from '../../schemas/lifecycle.ts';
import { rejectionOf } from '../../schemas/rejections.ts';
import {
  adviceOn,
  SHOWN,
  SHOWN_ADVICE,
  SHOWN_OUTCOMES,
  type Shown,
  shownOfBatch,
  shownOfFile,
  type Tone,
} from '../../schemas/shown.ts';
import { nextSendAt } from '../calendar/send-window.ts';
import { formatInZone } from '../calendar/zone-time.ts';
import type { Settings } from '../config/config.ts';
import { ALL_ACCOUNTS } from '../ledger/account/pause-account.ts';
import { listUnreached } from '../ledger/alarm/find-alarm-causes.ts';
import { type HoldingBatch, readBlockingBatches, readStops, type Stop } from '../ledger/account/read-holds.ts';
import { listLooks, type LookNow } from '../ledger/doubt/look-ahead.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { readMerchantNumbers } from '../ledger/merchant/read-merchants.ts';
import { readOverview } from '../ledger/overview/overview.ts';
import { readShownFacts } from '../ledger/file/file-figures.ts';
import { type OpenLate, readOpenLate } from '../ledger/file/late-arrivals.ts';
import type { FoundRow } from '../ledger/file/search.ts';
import { whoDid } from './why/sentence.ts';

/** Something that keeps an account from sending, in a short clause without a full stop. */
export type Block = {
  readonly kind: 'in_doubt' | 'refused' | 'stopped' | 'paused' | 'window' | 'unreached' | 'looking' | 'late';
  readonly account: string;
  readonly says: string;
  /** Null when only the end of the wait is known. */
  readonly since: Date | null;
  /** The batch that blocks, where one does. */
  readonly fileId: string | null;
  readonly batchNo: number | null;
};

/** Returns what blocks an account now, the worst first; empty when it may send. */
export type Blocks = (account: string) => readonly Block[];

/** Reads what keeps accounts from sending, under whichever name of their merchant: short queries for all of them. */
export async function readBlocks(ledger: Ledger, { accounts }: Pick<Settings, 'accounts'>): Promise<Blocks> {
  const now = ledger.clock.now();
  const [merchants, stops, batches, unreached, looks] = await Promise.all([
    readMerchantNumbers(ledger),
    readStops(ledger),
    readBlockingBatches(ledger),
    listUnreached(ledger),
    listLooks(ledger),
  ]);
  return (account) => {
    const { timeZone = 'UTC', window } = accounts.get(account) ?? {};
    const own = merchants.get(account);
    const isOwn = (of: { account: string }) =>
      of.account === account || (own !== undefined && merchants.get(of.account) === own);
    return [
      ...batches.filter(isOwn).map(ofBatch),
      ...stops.filter((stop) => isOwn(stop) || stop.account === ALL_ACCOUNTS).map(ofStop),
      ...ofWindow(account, { timeZone, window }, now),
      ...(unreached.includes(account) ? [ofService(account)] : []),
      ...looks.filter(isOwn).map(ofLook),
    ];
  };
}

function ofBatch({ account, fileId, batchNo, name, state, since }: HoldingBatch & { account: string }): Block {
  return state === 'unknown'
    ? { kind: 'in_doubt', account, says: `batch ${batchNo} of ${name} is in doubt`, since, fileId, batchNo }
    : { kind: 'refused', account, says: `the service refused batch ${batchNo} of ${name}`, since, fileId, batchNo };
}

function ofStop({ account, kind, reason, actor, since }: Stop): Block {
  const what = account === ALL_ACCOUNTS ? 'all accounts are' : `account ${account} is`;
  const [word, by] = kind === 'pause' ? (['paused', ` by ${whoDid(actor)}`] as const) : (['stopped', ''] as const);
  return { kind: word, account, says: `${what} ${word}${by}: ${reason}`, since, fileId: null, batchNo: null };
}

function ofService(account: string): Block {
  const says = `the service cannot be reached for account ${account}, and is tried again automatically`;
  return { kind: 'unreached', account, says, since: null, fileId: null, batchNo: null };
}

function ofLook({ account, since, done, total }: LookNow): Block {
  const says = `before account ${account} sends, the service is asked for batches that an older copy of the ledger would not know: ${done} of ${total} batch ids so far`;
  return { kind: 'looking', account, says, since, fileId: null, batchNo: null };
}

function ofLate({ account, fileId, says, since }: OpenLate): Block {
  return { kind: 'late', account, says: `${says}; a person decides first`, since, fileId, batchNo: null };
}

function ofWindow(account: string, times: Parameters<typeof nextSendAt>[0], now: Date): Block[] {
  const at = nextSendAt(times, now);
  if (at === now) return [];
  const until = at ? `is closed until ${formatInZone(at, times.timeZone)}` : 'does not open again';
  const says = `the sending window of account ${account} ${until}`;
  return [{ kind: 'window', account, says, since: null, fileId: null, batchNo: null }];
}

/** How a file is shown, and what keeps its unsent batches from being sent. */
export type ShownFile = {
  readonly shown: Shown;
  readonly blockedBy: readonly Block[];
  /** What came after the file was taken, while it waits for a person. */
  readonly late?: string;
};

/** Reads how files are shown. A file without unsent batches is not blocked by anything. */
export async function readShown<File extends { file_id: string; account: string; state: FileState }>(
  ledger: Ledger,
  settings: Pick<Settings, 'accounts'>,
  files: readonly File[],
): Promise<(File & ShownFile)[]> {
  const ids = files.map((file) => file.file_id);
  const [blocksOf, facts, late] = await Promise.all([
    readBlocks(ledger, settings),
    readShownFacts(ledger, ids),
    readOpenLate(ledger, ids),
  ]);
  return files.map((file) => {
    const { open = [], outcomes = [], isUndecided = false, isPaid = false } = facts.get(file.file_id) ?? {};
    const own = late.filter(({ fileId }) => fileId === file.file_id);
    const isWanted = file.state === 'accepted' || file.state === 'in_progress';
    const ownBlocks = isWanted ? own.map(ofLate) : [];
    const blockedBy = open.includes('ready') ? [...ownBlocks, ...blocksOf(file.account)] : [];
    const isBlocked = blockedBy.length > 0;
    const shown = shownOfFile(file.state, { open, outcomes, isUndecided, isBlocked, isPaid });
    return { ...file, shown, blockedBy, ...(own[0] && { late: own[0].says }) };
  });
}

/** Reads how one file is shown. */
export async function readShownFile<File extends { file_id: string; account: string; state: FileState }>(
  ledger: Ledger,
  settings: Pick<Settings, 'accounts'>,
  file: File,
): Promise<File & ShownFile> {
  const [shown] = await readShown(ledger, settings, [file]);
  return shown!;
}

/** Reads the overview, and how each of its open files is shown. */
export async function readShownOverview(ledger: Ledger, settings: Pick<Settings, 'accounts'>) {
  const overview = await readOverview(ledger);
  return { ...overview, open: await readShown(ledger, settings, overview.open) };
}

/**
 * Returns how a batch of a file is shown, and what keeps it from being sent while it waits.
 * @param isUndecided whether it has rows whose outcome is unknown and that no person has closed
 */
export function showBatch(
  { state, paid_since: paidSince = null }: { state: BatchState; paid_since?: Date | null },
  file: { account: string; state: FileState },
  blocksOf: Blocks,
  isUndecided = false,
): ShownFile {
  const blockedBy = state === 'ready' ? blocksOf(file.account) : [];
  const flags = { isPaid: paidSince !== null, isUndecided };
  return { shown: shownOfBatch(state, file.state, blockedBy.length > 0, flags), blockedBy };
}

/** How a payment stands, in words for all who ask: what it means, and what to do about it if anything. */
export type SaidPayment = FoundRow & {
  /** Of its page on the dashboard. */
  readonly path: string;
  readonly word: string;
  readonly tone: Tone;
  readonly means: string;
  readonly advice: string | null;
};

/** Adds what became of a payment. One without an outcome stands as its batch or file does. */
export function sayPayment(row: FoundRow, blocksOf: Blocks): SaidPayment {
  return { ...row, path: `/payments/${row.fileId}/${row.line}`, ...sayOutcome(row, blocksOf) };
}

function sayOutcome(row: FoundRow, blocksOf: Blocks): Pick<SaidPayment, 'word' | 'tone' | 'means' | 'advice'> {
  const { outcome, code, batchNo, batchState, fileState, account } = row;
  if (outcome !== null) return sayOf(outcome as Outcome, code);
  if (fileState === 'rejected') return { ...SHOWN.rejected, advice: null };
  if (batchNo === null) return sayOf('invalid', null, row.faults.map(saidCode).join('; '));
  const { shown, blockedBy } = showBatch({ state: batchState ?? 'ready' }, { account, state: fileState }, blocksOf);
  const causes = blockedBy.map(({ says }) => says).join('; ');
  return { ...SHOWN[shown], ...(shown === 'blocked' && { means: causes }), advice: null };
}

function sayOf(outcome: Outcome, code: number | null, why?: string) {
  const advice = adviceOn(outcome, code);
  const means = code === null ? why : rejectionOf(code).message;
  return {
    ...SHOWN_OUTCOMES[outcome],
    means: means || OUTCOMES[outcome].means,
    advice: advice === undefined ? null : SHOWN_ADVICE[advice].says,
  };
}
