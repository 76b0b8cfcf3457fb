import type { ChosenVolume } from '../../src/ledger/duplicates/fingerprint-volumes.ts';

/** After a longer pause or jump, in ms, a clock may have been set meanwhile. */
const PAUSE_MS = 86_400_000;

/**
 * Returns what counts as now and since when the file counts as known, for the search for earlier payments. These are
 * the earliest and latest clock, so that no wrong clock makes a payment too old to be found. If the clock of host or
 * database is over `PAUSE_MS` from the last file, the service's clock is queried too. If the service gives no time,
 * that of the last file stands in.
 * @param hostNow by the clock of this host
 * @param askTime queries the service's clock
 */
export async function weighClocks(
  hostNow: Date,
  { databaseNow, lastFrom }: Pick<ChosenVolume, 'databaseNow' | 'lastFrom'>,
  askTime: () => Promise<Date | undefined>,
): Promise<{ now: Date; agedFrom: Date }> {
  const own = [hostNow, databaseNow];
  const follow = own.every((at) => lastFrom !== null && Math.abs(at.getTime() - lastFrom.getTime()) <= PAUSE_MS);
  const witness = follow ? null : ((await askTime()) ?? lastFrom);
  const times = [...own, ...(witness ? [witness] : [])].map((at) => at.getTime());
  return { now: new Date(Math.min(...times)), agedFrom: new Date(Math.max(...times)) };
}
