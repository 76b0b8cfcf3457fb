import { type ShownAccount, worstOfAccount } from '../../schemas/shown.ts';
import type { Step } from '../../schemas/steps.ts';
import { counted } from '../kernel/counted.ts';
import { formatCents } from '../kernel/money.ts';
import { formatInZone } from '../calendar/zone-time.ts';
import { ALL_ACCOUNTS } from '../ledger/account/pause-account.ts';
import type { BatchKey } from '../ledger/engine/move.ts';
import type { AccountState, HoldingBatch, Holds, Stop } from '../ledger/account/read-holds.ts';
import type { Settings } from '../config/config.ts';
import { nextSendAt } from '../calendar/send-window.ts';
import type { FileStory } from './read-story.ts';

/** Why an account does not send, and what helps. */
export type HoldWords = { readonly says: string; readonly next: Step };

/** What holds an account; without its name, a stop of another name of its merchant is not told apart. */
export type HoldsOf = Holds & { readonly account?: string };

/** Describes each hold of the account and its remedy, one entry per hold. Empty when the account may send. */
export function describeHolds({ stops, batches, account }: HoldsOf, timeZone: string): Step[] {
  const words = [
    ...stops.map((stop) => describeStop(stop, timeZone, account)),
    ...batches.map((batch) => describeHoldingBatch(batch, timeZone)),
  ];
  return words.map(({ says, next }) => [`${says} `, ...next]);
}

/** @param held the account that is held, maybe by a stop of another name of its merchant */
export function describeStop(
  { account, kind, reason, actor, since }: Stop,
  timeZone: string,
  held: string = account,
): HoldWords {
  const when = formatInZone(since, timeZone);
  const isAll = account === ALL_ACCOUNTS;
  const it = account === held || isAll ? 'It' : `Account ${account}, another name of the same merchant,`;
  const resume = { action: 'resume', account } as const;
  switch (kind) {
    case 'pause':
      return {
        says: `${isAll ? 'All accounts were' : `${it} was`} paused by ${actor} at ${when}: ${reason}.`,
        next: ['To go on: ', resume, '.'],
      };
    case 'journal':
      return {
        says: `${it} was stopped at ${when}: ${reason}. The ledger may be older than what was sent.`,
        next: [
          'See ',
          { see: 'forgotten', account },
          ' and ',
          { see: 'in-doubt' },
          ', and compare with a report of the service: ',
          { run: 'reconcile', account },
          '. When that is done: ',
          resume,
          '.',
        ],
      };
    case 'fault':
      return { says: `${it} was stopped at ${when}: ${reason}.`, next: ['When the cause is fixed: ', resume, '.'] };
  }
}

export function describeHoldingBatch(batch: HoldingBatch, timeZone: string): HoldWords {
  const { fileId, batchNo } = batch;
  const what = `Batch ${batchNo} of ${batch.name} (${fileId}/${batchNo}, ${counted(batch.rows, 'row')}, ${formatCents(batch.cents)})`;
  const since = formatInZone(batch.since, timeZone);
  const why = batch.reason ? `: ${batch.reason}` : '';
  switch (batch.state) {
    case 'unknown':
      return {
        says: `${what} has been in doubt since ${since}${why}. The service may have taken it.`,
        next: ['Resolve it: ', { see: 'doubt', fileId, batchNo }, '.'],
      };
    case 'refused':
      return {
        says: `${what} was refused at ${since}${why}. Nothing was charged.`,
        next: nextForRefused({ fileId, batchNo }),
      };
    case 'sending':
      return {
        says: `${what} has been in progress since ${since}; the account makes one call at a time.`,
        next: ['There is nothing to do.'],
      };
  }
}

export function nextForRefused(batch: BatchKey): Step {
  return ['Fix the cause, then ', { action: 'retry', ...batch }, ', or ', { action: 'withdraw', ...batch }, '.'];
}

/** Returns how an account stands: the worst of its batches, its stops, the ledger, and its settings. */
export function showAccount(
  { account: name, stops, batches, isLedgerOpen }: AccountState,
  { accounts }: Pick<Settings, 'accounts'>,
  now: Date,
): ShownAccount {
  const account = accounts.get(name);
  const has = (state: HoldingBatch['state']) => batches.some((batch) => batch.state === state);
  return worstOfAccount({
    in_doubt: has('unknown'),
    refused: has('refused'),
    stopped: stops.some(({ kind }) => kind !== 'pause'),
    ledger_closed: !isLedgerOpen,
    paused: stops.some(({ kind }) => kind === 'pause'),
    not_configured: account === undefined,
    window_closed: account !== undefined && nextSendAt(account, now) !== now,
  });
}

/** Returns when a file that waits for its account's window is sent next; undefined when it does not wait for that. */
export function nextSendOf(
  { file, batches }: Pick<FileStory, 'file' | 'batches'>,
  { accounts }: Pick<Settings, 'accounts'>,
  now: Date,
): Date | undefined {
  const account = accounts.get(file.account);
  const isWanted = file.state === 'accepted' || file.state === 'in_progress';
  if (!account || !isWanted || !batches.some((batch) => batch.state === 'ready')) return undefined;
  const at = nextSendAt(account, now);
  return at === now ? undefined : at;
}
