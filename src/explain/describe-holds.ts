import { counted } from '../kernel/counted.ts';
import { formatCents } from '../kernel/money.ts';
import { formatInZone } from '../calendar/zone-time.ts';
import { ALL_ACCOUNTS } from '../ledger/account/pause-account.ts';
import type { HoldingBatch, Holds, Stop } from '../ledger/account/read-holds.ts';

/** Why an account does not send, and the command that helps. */
export type HoldWords = { readonly says: string; readonly next: string };

/** Describes each hold of the account and its remedy, one entry per hold. Empty when the account may send. */
export function describeHolds({ stops, batches }: Holds, timeZone: string): string[] {
  const words = [
    ...stops.map((stop) => describeStop(stop, timeZone)),
    ...batches.map((batch) => describeHoldingBatch(batch, timeZone)),
  ];
  return words.map(({ says, next }) => `${says} ${next}`);
}

export function describeStop({ account, kind, reason, actor, since }: Stop, timeZone: string): HoldWords {
  const when = formatInZone(since, timeZone);
  const isAll = account === ALL_ACCOUNTS;
  const verb = `paydrop account resume ${isAll ? '--all' : account} --reason …`;
  switch (kind) {
    case 'pause':
      return {
        says: `${isAll ? 'All accounts were' : 'It was'} paused by ${actor} at ${when}: ${reason}.`,
        next: `To go on: "${verb}".`,
      };
    case 'journal':
      return {
        says: `It was stopped at ${when}: ${reason}. The ledger may be older than what was sent.`,
        next: `See "paydrop account forgotten ${account}" and "paydrop unknown list", and compare with a report of the service: "paydrop account reconcile ${account} --report FILE --reason …". When that is dealt with: "${verb}".`,
      };
    case 'fault':
      return { says: `It was stopped at ${when}: ${reason}.`, next: `When the cause is fixed: "${verb}".` };
  }
}

export function describeHoldingBatch(batch: HoldingBatch, timeZone: string): HoldWords {
  const reference = `${batch.fileId}/${batch.batchNo}`;
  const what = `Batch ${batch.batchNo} of ${batch.name} (${reference}, ${counted(batch.rows, 'row')}, ${formatCents(batch.cents)})`;
  const since = `since ${formatInZone(batch.since, timeZone)}`;
  const why = batch.reason ? `: ${batch.reason}` : '';
  switch (batch.state) {
    case 'unknown':
      return {
        says: `${what} is in doubt ${since}${why}. The service may have taken it.`,
        next: `Resolve it: "paydrop resolve ${reference}".`,
      };
    case 'refused':
      return {
        says: `${what} is refused ${since}${why}. Nothing was charged.`,
        next: `Fix the cause, then "paydrop retry ${reference} --reason …", or "paydrop withdraw ${reference} --reason …".`,
      };
    case 'preparing':
    case 'sending':
      return {
        says: `${what} is being sent ${since}; the account makes one call at a time.`,
        next: 'Nothing is to be done.',
      };
  }
}
