import { transact } from '../ledger/engine/transaction.ts';
import type { BatchKey } from '../ledger/engine/move.ts';
import type { BatchRow, FileRow } from '../ledger/engine/records.ts';
import { acknowledgeTwice, bindingOfCharged, releaseCharged } from '../ledger/duplicates/decide-double-charges.ts';
import { type DoubleCharge, readDoublesOf, readTwiceOf } from '../ledger/duplicates/read-double-charges.ts';
import { propose } from '../ledger/proposal/propose.ts';
import { countTwice, PAIR_TITLES, pairCells, sayPair, sayTwice } from '../explain/double-charges.ts';
import { capital, ended } from '../explain/why/sentence.ts';
import { takesTwoToApprove } from '../config/account-rules.ts';
import type { Action, ActionContext, Listing } from './action.ts';
import { tryOut } from './resolve/carry-out.ts';
import { batchFacts, sumWords } from './subject-words.ts';

type Place = { readonly file: FileRow; readonly batch: BatchRow };

/**
 * Releases a batch that waits because a payment in it may have been charged meanwhile, or proposes that where the
 * account requires two persons for overrides.
 */
export const release: Action<'batch'> = {
  from: ['ready', 'refused'],
  comparesJournal: true,
  plan: async (context, place) => {
    const { ledger, settings } = context;
    const { file, batch } = place;
    const because = { actor: 'operator:nobody', reason: 'tried' };
    // Tried and rolled back, so that no plan is shown for what would be refused.
    await transact(ledger, (tx) => tryOut(tx, (trial) => releaseCharged(trial, keyOf(batch), because)));
    const isProposal = isTwoPersonMatter(context, place);
    const pairs = (await readDoublesOf(ledger.pool, keyOf(batch))).filter(({ releasedAt }) => releasedAt === null);
    const sum = sumOf(context, batch);
    return {
      says: [
        isProposal
          ? `You propose to send ${sum}, although payments of it may have been charged already. It is sent once another person confirms it.`
          : `${capital(sum)} will be sent, although payments of it may have been charged already.`,
        ...pairs.slice(0, MOST_SAID).map((pair) => capital(ended(sayPair(pair, zoneOf(settings, batch))))),
        'Release it only if they are other payments. Otherwise cancel the batch, and send the rest of its rows in a new file.',
      ],
      facts: await batchFacts(context, file, batch),
      binds: { 'charged rows': pairs.map(markOf) },
      listing: listingOf(pairs, zoneOf(settings, batch)),
      isProposal,
      button: `${isProposal ? 'Propose to release' : 'Release'} ${sum}`,
    };
  },
  run: async (context, place, _input, because) => {
    const { ledger } = context;
    const { file, batch } = place;
    const key = keyOf(batch);
    const sum = sumOf(context, batch);
    const json = { ...key, name: file.name, rows: batch.rows, cents: batch.cents };
    if (!isTwoPersonMatter(context, place)) {
      await transact(ledger, (tx) => releaseCharged(tx, key, because));
      return { says: `Released: batch ${batch.batch_no} of ${file.name}, ${sum}, will be sent.`, json };
    }
    const proposalNo = await transact(ledger, async (tx) => {
      const binding = await bindingOfCharged(tx, key);
      await tryOut(tx, (trial) => releaseCharged(trial, key, because));
      return propose(tx, { action: 'release', ...key, binding, ...because });
    });
    return {
      says: `Proposed: ${sum}. Another person must confirm it.`,
      next: [{ to: 'proposals', proposalNo }],
      status: 'held',
      json: { ...json, proposalNo },
    };
  },
};

/** Records that a person has looked at payments that were perhaps made twice. It moves no money. */
export const acknowledgeBatch: Action<'batch'> = {
  plan: async (context, { file, batch }) => {
    const { ledger, settings } = context;
    const pairs = await readTwiceOf(ledger.pool, keyOf(batch));
    if (pairs.length === 0)
      return {
        says: ['No payment of it is on record as perhaps made twice.'],
        barred: 'no action is needed',
        status: 'ok',
      };
    const zone = zoneOf(settings, batch);
    return {
      says: [
        `${capital(countTwice(pairs.length))}. They leave the lists of open work, and stay on record with your reason.`,
        ...pairs.slice(0, MOST_SAID).map((pair) => capital(ended(sayTwice(pair, zone)))),
        'Refund one of each pair first, or find out that they are two payments.',
      ],
      facts: await batchFacts(context, file, batch),
      binds: { 'charged rows': pairs.map(markOf) },
      listing: listingOf(pairs, zone),
      button: `Acknowledge ${pairs.length}`,
    };
  },
  run: async ({ ledger }, { file, batch }, _input, because) => {
    const key = keyOf(batch);
    const pairs = await transact(ledger, (tx) => acknowledgeTwice(tx, key, because));
    return {
      says: `Acknowledged: ${countTwice(pairs)}, batch ${batch.batch_no} of ${file.name}.`,
      json: { ...key, name: file.name, pairs },
    };
  },
};

/** What is known of a pair when a user decides about it. */
function markOf({ row, other }: DoubleCharge) {
  return [row, other].map(({ fileId, line, outcome }) => [fileId, line, outcome]);
}

/** Pairs that a plan writes out; its listing has all. */
const MOST_SAID = 3;

function isTwoPersonMatter({ settings }: ActionContext, { file, batch }: Place): boolean {
  return takesTwoToApprove(settings.accounts.get(batch.account), file.operation);
}

function listingOf(pairs: readonly DoubleCharge[], timeZone: string): Listing | undefined {
  if (pairs.length === 0) return undefined;
  return {
    label: 'Payments that may be one',
    titles: PAIR_TITLES,
    rows: pairs.map((pair) => pairCells(pair, timeZone)),
    payments: pairs.map(({ row: { fileId, line } }) => ({ fileId, line })),
  };
}

function zoneOf({ accounts }: ActionContext['settings'], { account }: BatchRow): string {
  return accounts.get(account)?.timeZone ?? 'UTC';
}

function sumOf(context: ActionContext, { account, rows, cents }: BatchRow): string {
  return sumWords(context, account, rows, cents);
}

function keyOf({ file_id: fileId, batch_no: batchNo }: BatchRow): BatchKey {
  return { fileId, batchNo };
}
