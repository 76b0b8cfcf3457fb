import { formatCents } from '../kernel/money.ts';
import { formatInZone } from '../kernel/zone-time.ts';
import { ALL_ACCOUNTS } from '../ledger/moves/pause-account.ts';
import type { HoldingBatch, Holds, Stop } from '../ledger/queries/read-holds.ts';

/** Why an account does not send now and what to do about each, one sentence a hold; none when it may send. */
export function describeHolds({ stops, batches }: Holds, timeZone: string): string[] {
  return [
    ...stops.map((stop) => describeStop(stop, timeZone)),
    ...batches.map((batch) => describeBatch(batch, timeZone)),
  ];
}

function describeStop({ account, kind, reason, actor, since }: Stop, timeZone: string): string {
  const when = formatInZone(since, timeZone);
  const isAll = account === ALL_ACCOUNTS;
  const verb = `paydrop account resume ${isAll ? '--all' : account} --reason …`;
  switch (kind) {
    case 'pause':
      return `${isAll ? 'All accounts were' : 'It was'} paused by ${actor} at ${when}: ${reason}. To go on: "${verb}".`;
    case 'journal':
      return `It was stopped at ${when}: ${reason}. The ledger is older than what was sent. See "paydrop account forgotten ${account}" and "paydrop unknown list"; when that is dealt with: "${verb}".`;
    case 'fault':
      return `It was stopped at ${when}: ${reason}. When the cause is mended: "${verb}".`;
  }
}

function describeBatch(batch: HoldingBatch, timeZone: string): string {
  const reference = `${batch.fileId}/${batch.batchNo}`;
  const what = `Batch ${batch.batchNo} of ${batch.name} (${reference}, ${batch.rows} rows, ${formatCents(batch.cents)})`;
  const since = `since ${formatInZone(batch.since, timeZone)}`;
  const why = batch.reason ? `: ${batch.reason}` : '';
  switch (batch.state) {
    case 'unknown':
      return `${what} is in doubt ${since}${why}. The service may have taken it. Resolve it: "paydrop resolve ${reference}".`;
    case 'refused':
      return `${what} is refused ${since}${why}. Nothing was charged. Mend the cause, then "paydrop retry ${reference} --reason …", or "paydrop withdraw ${reference} --reason …".`;
    case 'preparing':
    case 'sending':
      return `${what} is being sent ${since}; the account makes one call at a time. Nothing is to be done.`;
  }
}
